/** Variables that the platform sets, in the release of Open WebUI that its image is of. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { fixedPageVariables, OPEN_WEBUI_VERSION, otherPageVariables } from "../../../catalog/open-webui";
import { requirePart } from "../../../rehearsal/parts/find";

/** Prints the version, and each name that a file of the package asks the environment for: `os.getenv`, `os.environ`. */
const READ = `
import ast, importlib.metadata, json, pathlib, importlib.util
root = pathlib.Path(importlib.util.find_spec("open_webui").origin).parent
def names(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if ast.unparse(node.func) in ("os.getenv", "os.environ.get") and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ" and isinstance(node.slice, ast.Constant):
            yield node.slice.value
read = {name: sorted(set(names(ast.parse((root / name).read_text())))) for name in ("config.py", "env.py")}
# A table of names and setters.
headers = ast.walk(ast.parse((root / "utils/security_headers.py").read_text()))
read["utils/security_headers.py"] = sorted({key.value for node in headers if isinstance(node, ast.Dict) for key in node.keys if isinstance(key, ast.Constant)})
print(json.dumps({"version": importlib.metadata.version("open-webui"), "read": read}))
`;

it("are each read by the file that the catalogue names", () => {
  const printed = execFileSync(requirePart("open-webui-python"), ["-c", READ], { encoding: "utf8" });
  const { version, read } = JSON.parse(printed) as { version: string; read: Readonly<Record<string, string[]>> };
  expect(version).toBe(OPEN_WEBUI_VERSION);
  const ours = [...fixedPageVariables, ...otherPageVariables].filter(({ readIn }) => readIn !== "image");
  expect(ours.filter(({ name, readIn }) => !read[readIn]?.includes(name))).toEqual([]);
});
