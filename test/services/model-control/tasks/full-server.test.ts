import type { Redis } from "ioredis";
import { expect, it } from "vitest";
import { defineEvenWhenFull, evenWhenFull } from "../../../../services/model-control/src/tasks/full-server";

it("steps that write begin with a write that takes no memory; those that read are left as they are", () => {
  const defined = new Map<string, string | undefined>();
  const redis = {
    defineCommand: (name: string, { lua }: { lua?: string }) => {
      defined.set(name, lua);
    },
  };
  defineEvenWhenFull(redis as unknown as Redis);
  for (const name of ["updateData:6.7.0", "moveToActive:6.7.0", "getCounts:6.7.0", "isMaxed:6.7.0", "paginate:6.7.0"]) {
    redis.defineCommand(name, { lua: "return 1" });
  }
  const written = evenWhenFull("return 1");
  expect(written).toMatch(/^redis\.call\("del", "[^"]+"\)\nreturn 1$/);
  expect([...defined.values()]).toEqual([written, written, "return 1", "return 1", "return 1"]);
});
