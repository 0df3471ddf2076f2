/** What a trial's log says, read: recorded outputs of nccl-tests and rccl-tests, and what is missing from them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Expected, verdictOf } from "../../../components/gpu/scripts/verdict.ts";
import { repositoryRoot } from "../../../names/repository-root";

const GIB = 2 ** 30;
const a100: Expected = { smallestBytes: GIB, largestBytes: 8 * GIB, minBusGBps: 166 };
const good = recorded("two-a100-nodes");

function recorded(name: string): string {
  return readFileSync(join(repositoryRoot(), `test/fixtures/nccl-tests/${name}.txt`), "utf8");
}

describe("a verdict", () => {
  const end = "trial: ended 0 after 60 s";

  it("reads rccl-tests, and what mpirun puts before lines", () => {
    const tagged = recorded("two-mi300x-nodes").replaceAll(/^/gm, "[1,0]<stdout>: ");
    expect(verdictOf(`${tagged}\n${end}`, { ...a100, largestBytes: 16 * GIB, minBusGBps: 315 })).toMatchObject({
      kind: "good",
      busGBps: 354.7,
    });
  });

  it("needs the largest size, the check of the values, and the script's own end", () => {
    expect(verdictOf(good, a100).kind).toBe("cut");
    expect(verdictOf(`${good}\n${end}`, { ...a100, largestBytes: 16 * GIB }).kind).toBe("cut");
    expect(verdictOf(`${good.replaceAll("       0\n", "     N/A\n")}\n${end}`, a100).kind).toBe("cut");
    expect(verdictOf("", a100).kind).toBe("cut");
    expect(verdictOf(`${good}\n${end}`, a100).kind).toBe("good");
  });

  it("is good at the limit, and slow below it", () => {
    expect(verdictOf(`${good}\n${end}`, { ...a100, minBusGBps: 187.5 }).kind).toBe("good");
    expect(verdictOf(`${good}\n${end}`, { ...a100, minBusGBps: 187.6 }).kind).toBe("slow");
  });
});
