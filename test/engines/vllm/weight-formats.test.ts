import { describe, expect, it } from "vitest";
import { weightKinds } from "../../../engines/vllm/weight-formats";
import table from "../../../engines/vllm/weight-formats.json";
import { weightFormatsSchema } from "../../../engines/vllm/weight-formats-schema";

describe("the table of weight formats", () => {
  it("follows its schema", () => {
    expect(weightFormatsSchema.safeParse(table).error?.issues ?? []).toEqual([]);
  });

  it("names nothing twice", () => {
    for (const names of [
      weightKinds.map(({ weights }) => weights),
      weightKinds.flatMap(({ madeAtLoad, declared }) => [...madeAtLoad, ...declared]),
    ]) {
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });
});
