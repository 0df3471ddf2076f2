import { describe, expect, test } from "vitest";
import { type Import, importsOf, sourceFiles } from "./imports";
import { ROOMS, type Room } from "./rooms";

const PULUMI = /^@pulumi\//;
const files = sourceFiles();
const imports = files.flatMap((file) => importsOf(file));

function roomOf(file: string): Room | undefined {
  return ROOMS.filter(({ folder }) => file.startsWith(`${folder}/`)).sort(
    (a, b) => b.folder.length - a.folder.length,
  )[0];
}

function mayLoadPulumi({ pulumi = [] }: Room, file: string): boolean {
  return pulumi === true || pulumi.includes(file);
}

/** What is wrong with imports, a line each, by the table. */
function offences(all: readonly Import[]): string[] {
  return all.flatMap((one) => {
    const { file, line, target, isPackage, isType } = one;
    const [from, to] = [roomOf(file), isPackage ? undefined : roomOf(target)];
    if (!from || from === to) {
      return [];
    }
    const place = `${file}:${line}`;
    if (isPackage) {
      return PULUMI.test(target) && !mayLoadPulumi(from, file)
        ? [`${place}: ${from.folder} loads ${target}. Make the resource in components, or hand the value in`]
        : [];
    }
    const allowed = [...from.imports, ...(isType ? (from.types ?? []) : [])];
    if (!to || allowed.includes(to.folder)) {
      return [];
    }
    const isUp = ROOMS.indexOf(to) > ROOMS.indexOf(from);
    const advice = isUp
      ? `move what both need down: a name to names/, a fact of objects to kubernetes/, a decision to planner/`
      : `take it from a room that ${from.folder} may import, or allow the edge in test/architecture/rooms.ts if the picture in docs/architecture.md wants it`;
    return [`${place}: ${from.folder} -> ${to.folder} (${target})${isUp ? ", an arrow up" : ""}. Instead: ${advice}`];
  });
}

/** Permissions of the table that none of the imports needs. */
function unused(all: readonly Import[]): string[] {
  const edges = new Set(all.map(({ file, target }) => `${roomOf(file)?.folder} -> ${roomOf(target)?.folder}`));
  const loaders = all.filter(({ target }) => PULUMI.test(target)).map(({ file }) => file);
  return ROOMS.flatMap((room) => {
    const { folder, imports: allowed, types = [], pulumi } = room;
    const mayLoad = pulumi === true ? [] : (pulumi ?? []);
    return [
      ...[...allowed, ...types].map((other) => `${folder} -> ${other}`).filter((edge) => !edges.has(edge)),
      ...(pulumi === true && !loaders.some((file) => roomOf(file) === room) ? [`${folder} -> Pulumi`] : []),
      ...mayLoad.filter((file) => !loaders.includes(file)).map((file) => `${file} -> Pulumi`),
    ];
  });
}

describe("the table of rooms", () => {
  test("has a row for every source file", () => {
    expect(files.length).toBeGreaterThan(400);
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  test("has each room once, and lets it import only rooms above its row: no circle can arise", () => {
    const folders = ROOMS.map(({ folder }) => folder);
    expect(folders).toEqual([...new Set(folders)]);
    const upward = ROOMS.flatMap((room, i) =>
      room.imports
        .filter((folder) => !folders.slice(0, i).includes(folder))
        .map((folder) => `${room.folder} -> ${folder}`),
    );
    expect(upward).toEqual([]);
  });

  test("names no room that has no files", () => {
    expect(ROOMS.filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([]);
  });
});

describe("imports between folders", () => {
  test("are those of the table", () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect(offences(imports)).toEqual([]);
  });

  test("need every permission of the table: take out what this lists", () => {
    expect(unused(imports)).toEqual([]);
  });

  test("that are gone leave their permission to be found", () => {
    const others = imports.filter(({ file, target }) => roomOf(file)?.folder !== "catalog" && !PULUMI.test(target));
    expect(unused(others)).toEqual(
      expect.arrayContaining(["catalog -> names", "policies -> Pulumi", "stacks/config/load.ts -> Pulumi"]),
    );
  });

  test.each([
    [
      "catalog/x.ts",
      'import type { A } from "../planner/types";',
      "catalog -> planner (planner/types.ts), an arrow up",
    ],
    [
      "planner/x.ts",
      'export * from "../components/core/job";',
      "planner -> components/core (components/core/job.ts), an arrow up",
    ],
    [
      "planner/memory/x.ts",
      'type A = import("../../components/core/job").Job;',
      "planner/memory -> components/core (components/core/job.ts), an arrow up",
    ],
    ["policies/x.ts", 'const a = await import("../planner/plan");', "policies -> planner (planner/plan.ts). Instead"],
    [
      "components/storage/scripts/x.ts",
      'import { a } from "../../../names/units";',
      "components/storage/scripts -> names",
    ],
    [
      "components/model-control/scripts/x.ts",
      'import { a } from "../../../services/model-control/src/config";',
      "-> services/model-control",
    ],
    ["planner/x.ts", 'import type { Input } from "@pulumi/pulumi";', "planner loads @pulumi/pulumi"],
  ])("a forbidden one in %s is found: %s", (file, text, said) => {
    expect(offences(importsOf(file, `// a comment\n${text}`))).toEqual([expect.stringContaining(said)]);
    expect(offences(importsOf(file, `// a comment\n${text}`))[0]).toMatch(`${file}:2: `);
  });

  test("of types alone may reach where values may not", () => {
    const text = 'import type { A } from "../../../services/model-control/src/config";';
    expect(offences(importsOf("components/model-control/scripts/x.ts", text))).toEqual([]);
  });
});
