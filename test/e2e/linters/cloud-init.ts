import { execFile } from "node:child_process";
import { requirePart } from "../../../rehearsal/parts/find";

/**
 * What cloud-init's own schema has against a cloud-config; nothing where it is valid. It looks at the file alone, and
 * changes nothing on this machine.
 *
 * @throws Error where it neither agrees nor names an error.
 */
export function cloudInitSchema(path: string): Promise<readonly string[]> {
  const program = requirePart("cloud-init");
  return new Promise((resolve, reject) => {
    execFile(program, ["schema", "--config-file", path], { timeout: 60_000 }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      if (error === null && output.includes("Valid cloud-config")) {
        resolve([]);
      } else if (output.includes("schema errors") || output.includes("Invalid")) {
        resolve(output.split("\n").filter((line) => line.trim() !== "" && line !== "Error:"));
      } else {
        reject(new Error(`cloud-init schema ended with ${error?.code ?? 0}: ${output}`));
      }
    });
  });
}
