import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { engineNames } from "../../engines";
import { repositoryRoot } from "../../names/repository-root";

/** Not of an engine's memory: what describes it, units of measure, limits of inputs, the order of answers, published rules. */
const withoutSource = ["index.ts", "units.ts", "flags.ts", "verdict.ts", "sizing-rule.ts", "capacity-table.ts"];

/** Each folder with its own records, in the file constant-sources.json. */
const folders = [...engineNames.map((name) => `engines/${name}`), "planner/memory"];

const record = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("read"), files: z.array(z.string()).min(1), source: z.string().min(10) }),
  z.strictObject({
    kind: z.literal("measured"),
    constants: z.array(z.string()).min(1),
    on: z.string().min(10),
    laboratories: z.number().int().min(0),
    appliedTo: z.string().min(10),
    source: z.string().min(5),
  }),
]);
const recordFile = z.strictObject({ description: z.string().min(10), records: z.array(record) });

describe.each(folders)("every constant in %s", (folder) => {
  const text = (file: string): string => readFileSync(join(repositoryRoot(), folder, file), "utf8");
  const { records } = recordFile.parse(JSON.parse(text("constant-sources.json")));
  const measured = records.flatMap((entry) => (entry.kind === "measured" ? entry.constants : []));
  const read = records.flatMap((entry) => (entry.kind === "read" ? entry.files : []));

  /** Constants of a file that hold numbers: `const name = 5`, `= 2 ** 4`, `= { name: 5 }`, on one line or more. */
  function numericConstants(file: string): readonly string[] {
    const constant = /^(?:export )?const (\w+)(?:: [^=]+)? = (?:[-(]*\d[^;]*|\{[^;]*?: [-\d][^;]*);/gms;
    return [...text(file).matchAll(constant)].map(([, name]) => `${file}: ${name}`);
  }

  it("is recorded with what it rests on: by name where logs gave it, else by the file that names the source", () => {
    const files = readdirSync(join(repositoryRoot(), folder), { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !withoutSource.includes(basename(file)),
    );
    const isRecorded = (name: string) => measured.includes(name) || read.includes(name.split(": ")[0] ?? "");
    expect(files.flatMap(numericConstants).filter((name) => !isRecorded(name))).toEqual([]);
  });

  it("that is recorded exists, once", () => {
    expect(new Set([...measured, ...read]).size).toBe(measured.length + read.length);
    for (const [file = "", name = ""] of measured.map((entry) => entry.split(": "))) {
      expect(text(file)).toMatch(new RegExp(file.endsWith(".json") ? `"${name}":` : `const ${name}\\b`));
      if (file.endsWith(".ts")) {
        expect(numericConstants(file)).toContain(`${file}: ${name}`);
      }
    }
    for (const file of read) {
      expect(numericConstants(file)).not.toEqual([]);
    }
  });
});
