package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeSchemas makes a JSON schema of each kind of the API server's OpenAPI, as GROUP_KIND_VERSION.json. Unknown fields
// are errors.
func writeSchemas(ctx context.Context, folder string) error {
	text, err := client.Discovery().RESTClient().Get().AbsPath("/openapi/v2").SetHeader("Accept", "application/json").DoRaw(ctx)
	if err != nil {
		return err
	}
	var document struct{ Definitions map[string]map[string]any }
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, definition := range document.Definitions {
		seal(definition)
		if strings.HasSuffix(name, ".Quantity") { // A number will do.
			delete(definition, "type")
		}
	}
	for name, definition := range document.Definitions {
		kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
		if len(kinds) != 1 { // Options of requests belong to every group.
			continue
		}
		kind := kinds[0].(map[string]any)
		schema := map[string]any{"$ref": "#/definitions/" + name, "definitions": needed(document.Definitions, name)}
		out, err := json.Marshal(schema)
		if err != nil {
			return err
		}
		group := kind["group"]
		if group == "" { // As kubeconform splits `v1`.
			group = kind["version"]
		}
		file := fmt.Sprintf("%s_%s_%s.json", group, strings.ToLower(kind["kind"].(string)), kind["version"])
		if err := os.WriteFile(filepath.Join(folder, file), out, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// seal forbids unknown fields wherever the known ones are listed. Fields of type IntOrString may be strings or numbers.
func seal(node any) {
	switch node := node.(type) {
	case map[string]any:
		if node["format"] == "int-or-string" {
			delete(node, "type")
		}
		_, open := node["additionalProperties"]
		keeps, _ := node["x-kubernetes-preserve-unknown-fields"].(bool)
		if _, isField := node["properties"].(map[string]any); isField && !open && !keeps {
			node["additionalProperties"] = false
		}
		for key, child := range node {
			if key != "enum" && key != "default" && key != "example" {
				seal(child)
			}
		}
	case []any:
		for _, child := range node {
			seal(child)
		}
	}
}

// needed returns a definition and all definitions that it refers to.
func needed(all map[string]map[string]any, name string) map[string]any {
	found := map[string]any{}
	var follow func(node any)
	follow = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			if reference, isText := node["$ref"].(string); isText {
				target := strings.TrimPrefix(reference, "#/definitions/")
				if _, seen := found[target]; !seen {
					found[target] = all[target]
					follow(any(all[target]))
				}
			}
			for _, child := range node {
				follow(child)
			}
		case []any:
			for _, child := range node {
				follow(child)
			}
		}
	}
	found[name] = all[name]
	follow(any(all[name]))
	return found
}
