import { type Style, WIDTH, wrap } from "../../report/style";
import type { FleetProblem } from "./result";

/** With file and line of the value. */
export function problemText({ file, line, path, value, allowed, fix }: FleetProblem, number: number, s: Style): string {
  const place = line === undefined ? file : `${file} line ${line}`;
  const rows = [
    ["value", value],
    ["allowed", allowed],
    ["fix", fix],
  ] as const;
  const lines = rows.flatMap(([name, text]) => {
    const [first = "", ...rest] = wrap(text, WIDTH, " ".repeat(14));
    return [`     ${name.padEnd(9)}${first.trimStart()}`, ...rest];
  });
  return `  ${number}. ${s.bold(path)} (${place})\n${lines.join("\n")}\n`;
}
