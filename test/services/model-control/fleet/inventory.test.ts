import { describe, expect, test } from "vitest";
import {
  changesOf,
  diskRoom,
  type HeldModel,
  leftoverBytes,
  memoryNeed,
  memoryRoom,
} from "../../../../services/model-control/src/fleet/inventory";
import { freeBytes } from "../../../../services/model-control/src/fleet/placement";

const now = new Date("2026-11-21T10:00:00Z");
const before = new Date("2026-11-21T09:00:00Z");

function held(name: string, more: Partial<HeldModel> = {}): HeldModel {
  return { name, loaded: false, pinned: false, lastUsed: before, ...more };
}

describe("changesOf", () => {
  test("a model counts as used when it is first seen, and when its mark changes", () => {
    const records = new Map([
      ["same", { lastUsed: before, useMark: "1", diskBytes: 5 }],
      ["used", { lastUsed: before, useMark: "1" }],
      ["unloaded", { lastUsed: before, useMark: "1" }],
      ["gone", { lastUsed: before }],
    ]);
    const models = [
      { name: "same", loaded: true, useMark: "1", diskBytes: 5 },
      { name: "used", loaded: true, useMark: "2" },
      { name: "unloaded", loaded: false },
      { name: "new", loaded: false, diskBytes: 7 },
    ];
    expect(changesOf(models, records, now)).toEqual({
      changed: new Map([
        ["used", { lastUsed: now, useMark: "2", diskBytes: undefined }],
        ["new", { lastUsed: now, useMark: undefined, diskBytes: 7 }],
      ]),
      gone: ["gone"],
    });
  });

  test("another size on disk is remembered without being a use", () => {
    const records = new Map([["m", { lastUsed: before, useMark: "1", diskBytes: 5 }]]);
    const { changed } = changesOf([{ name: "m", loaded: false, diskBytes: 6 }], records, now);
    expect(changed).toEqual(new Map([["m", { lastUsed: before, useMark: "1", diskBytes: 6 }]]));
  });
});

describe("rooms", () => {
  const pulls = new Map([
    ["coming", { running: true, totalBytes: 30, completedBytes: 10 }],
    ["left", { running: false, totalBytes: 30, completedBytes: 4 }],
    ["listed", { running: true, totalBytes: 20, completedBytes: 20 }],
  ]);
  const models = [
    held("listed", { diskBytes: 20 }),
    held("loaded", { diskBytes: 8, loaded: true, memoryBytes: 9 }),
    held("pinned", { diskBytes: 1, loaded: true, memoryBytes: 2, pinned: true }),
  ];

  test("the disk holds models, all of what is being pulled, and what pulls left", () => {
    const room = diskRoom({ models, pulls }, 100);
    expect(freeBytes(room)).toBe(100 - (20 + 8 + 1) - 30 - 4);
    expect(room.residents.filter(({ stays }) => stays).map(({ model }) => model)).toEqual(["listed", "pinned"]);
    expect(leftoverBytes({ models, pulls })).toBe(4);
  });

  test("what is being pulled does not stand in its own way, nor leaves for itself", () => {
    expect(freeBytes(diskRoom({ models, pulls }, 100, "coming"))).toBe(100 - 29 - 4);
    const listed = diskRoom({ models, pulls }, 100, "listed");
    expect(freeBytes(listed)).toBe(100 - 9 - 30 - 4);
    expect(listed.residents.map(({ model }) => model)).toEqual(["loaded", "pinned"]);
  });

  test("memory holds what is loaded", () => {
    const room = memoryRoom({ models, pulls }, 100, "loaded");
    expect(freeBytes(room)).toBe(100 - 11);
    expect(room.residents.every(({ stays }) => stays)).toBe(true);
  });
});

describe("memoryNeed", () => {
  test("is what was measured, else an estimate from the disk, else nothing", () => {
    const gib = 1024 ** 3;
    expect(memoryNeed({ memoryBytes: 9 * gib, diskBytes: 5 * gib }, 4 * gib)).toBe(9 * gib);
    expect(memoryNeed(undefined, 5 * gib)).toBe(6.5 * gib);
    expect(memoryNeed({ diskBytes: 5 * gib }, undefined)).toBe(6.5 * gib);
    expect(memoryNeed(undefined, undefined)).toBe(0);
  });
});
