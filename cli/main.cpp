// The program `echelon`: hands its arguments to the commands.

int main() { return 0; }
