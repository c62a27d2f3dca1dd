// Deleted with the first real source of this room.
