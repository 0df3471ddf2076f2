import { describe, expect, it } from "vitest";
import { main } from "../../cli/rehearse";
import { rehearsalSchema } from "../../rehearsal/report/schema";
import { equalPools, TOLD_APART } from "../cli/equal-pools";
import { type CommandResult, environmentIn, runPiped, useFolder } from "../cli/run";

const folder = useFolder();

function rehearse(environment: ReturnType<typeof equalPools>, ...argv: string[]): Promise<CommandResult> {
  return runPiped(main, ["test", "--config", environmentIn(folder, environment), ...argv, "--json"]);
}

describe("two equal pools, each dedicated to a model of its own", { timeout: 300_000 }, () => {
  it("are not rehearsed while nothing tells them apart", async () => {
    const { status, out, err } = await rehearse(equalPools());
    expect([status, out]).toEqual([1, ""]);
    expect(err).toContain('cannot keep the pool "blue" apart from "red"');
  });

  it("share no node once they have labels: a model waits for its own pool beside idle GPUs of the other", async () => {
    const { status, out } = await rehearse(equalPools(TOLD_APART), "--nodes", "red=2");
    const report = rehearsalSchema.parse(JSON.parse(out));
    expect(report.findings.filter(({ severity }) => severity === "broken")).toEqual([]);
    expect(status).toBe(0);
    expect(report.nodes.map(({ name }) => name).filter((name) => !name.startsWith("system"))).toEqual([
      "red-0",
      "red-1",
      "blue-0",
    ]);
    const poolOf = (node: string | null) => report.nodes.find(({ name }) => name === node)?.pool;
    const homes = report.workloads.flatMap(({ model, pods }) => pods.map(({ node }) => [model, poolOf(node)]));
    expect(homes).toEqual(
      expect.arrayContaining([
        ["chat", "red"],
        ["code", "blue"],
      ]),
    );
    expect(homes).not.toContainEqual(["chat", "blue"]);
    expect(homes).not.toContainEqual(["code", "red"]);

    // Without its node `code` waits, though one of the two red machines serves nothing; `chat` moves there.
    const moved = report.drains.flatMap(({ pool, waiting }) => (pool === "system" ? [] : [[pool, waiting.length]]));
    expect(moved).toEqual([
      ["red", 0],
      ["blue", 1],
    ]);
    const loss = report.losses.find(({ pool }) => pool === "blue");
    expect(loss?.workloads).toMatchObject([{ model: "code", replicas: 1, left: 0 }]);
    expect(loss?.workloads[0]?.waiting[0]?.waitsFor).toMatch(/didn't match Pod's node affinity\/selector/);
    expect(report.losses.find(({ pool }) => pool === "red")?.workloads).toMatchObject([{ model: "chat", left: 1 }]);
  });
});
