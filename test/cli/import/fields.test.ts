/** Every field of each published schema is known to the importer. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../../../cli/import/formats/table";
import sources from "../../../cli/import/schemas/sources.json";
import { repositoryRoot } from "../../../names/repository-root";

interface Schema {
  readonly source: string;
  readonly asOf: string;
  readonly fields: readonly string[];
}

const FOLDER = join(repositoryRoot(), "cli", "import");

function schemaOf(name: string): Schema {
  return JSON.parse(readFileSync(join(FOLDER, "schemas", `${name}.json`), "utf8")) as Schema;
}

describe.each(FORMATS)("$name", ({ name, table }) => {
  const { source, asOf, fields } = schemaOf(name);

  it("has a row for every field of the published schema", () => {
    const unknown = fields.filter((field) => table.fateOf(field) === undefined && !table.isContainer(field));
    expect(unknown).toEqual([]);
  });

  it("has a schema with its source and date", () => {
    expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(sources[name as keyof typeof sources]).toEqual({ text: source, asOf });
  });

  it("maps fields to keys of the environment, and says why others are lost", () => {
    for (const [field, fate] of table.all()) {
      const text = fate.kind === "mapped" ? fate.to : fate.why;
      expect(text.length, field).toBeGreaterThan(8);
      if (fate.kind === "mapped") {
        expect(text, field).toMatch(/\b(models|pools|gateway)\b/);
      }
    }
  });
});

describe("tables of fields", () => {
  it("belong to a format each", () => {
    const names = FORMATS.map(({ name }) => `${name}.json`).sort();
    expect(readdirSync(join(FOLDER, "fields")).sort()).toEqual(names);
    expect(FORMATS.every(({ name }) => existsSync(join(FOLDER, "schemas", `${name}.json`)))).toBe(true);
  });

  it("refuse a field with two rows", async () => {
    const { FieldTable } = await import("../../../cli/import/field-table");
    const rows = {
      about: "",
      title: "",
      mapped: { a: "models" },
      changed: [{ fields: ["a"], why: "" }],
      lost: [],
      secret: [],
    };
    expect(() => new FieldTable(rows)).toThrow("two rows");
  });
});
