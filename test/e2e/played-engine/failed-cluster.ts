import { describe, expect, it } from "vitest";
import { programRun } from "../../stacks/run";
import type { Outcome, PlayedEngineOptions } from "./engine";
import { type ProgramEnd, runProgram, type Start } from "./program";

/**
 * What the program of an environment that makes its cluster ends with.
 *
 * @param cluster type of what is made.
 * @param nodes types of what makes its nodes.
 * @param start asked in each test.
 */
export function failedClusterTests(
  environment: Parameters<typeof programRun>[0],
  cluster: string,
  nodes: readonly string[],
  start: () => Partial<Start> = () => ({}),
): void {
  const run = (outcome?: PlayedEngineOptions["outcome"]): Promise<ProgramEnd> =>
    runProgram(environment, outcome && { outcome }, start());
  describe(`the program of ${environment}`, () => {
    it("declares every resource of the plan where all are made", async () => {
      const { status, engine, printed } = await run();
      expect(status, printed).toBe(0);
      expect(engine.isComplete).toBe(true);
      expect(engine.errors).toEqual([]);
      const declared = new Set(engine.declared.map(({ urn }) => urn));
      const planned = (await programRun(environment)).resources.map(({ urn }) => urn);
      expect(planned.filter((urn) => !declared.has(urn))).toEqual([]);
      expect(engine.outputs).toHaveProperty("address");
      // Pulumi.yaml disables the default providers of what environments configure.
      expect([...engine.byDefaultProvider]).toEqual(["random:index/randomPassword:RandomPassword"]);
    });

    // A program that says that it is done without having declared the platform has all of it deleted.
    it.each<Outcome>(["fail", "skip", "unknown"])("fails where its cluster is answered with %s", async (outcome) => {
      const { status, engine, printed } = await run((type) => (type === cluster ? outcome : undefined));
      expect(status, printed).toBeGreaterThan(0);
      expect(engine.isComplete).toBe(false);
      expect(engine.errors).toHaveLength(1);
      expect(engine.errors[0]).toContain(environment);
      expect(engine.declared.filter(({ type }) => type === "kubernetes:core/v1:Namespace")).toEqual([]);
    });

    it("declares everything where a pool's machines are refused, and completes no component that was left out", async () => {
      const { status, engine, printed } = await run((type) => (nodes.includes(type) ? "fail" : undefined));
      expect(status, printed).toBe(0);
      expect(engine.errors).toEqual([]);
      expect(engine.isComplete).toBe(true);
      expect(engine.declared.some(({ type }) => type === "inference:platform:Platform")).toBe(true);
    });
  });
}
