/** The whole program of an environment while the folder's resources are answered without an engine. */
import { describe, expect, it } from "vitest";
import { ownerOf } from "../../../kubernetes/owner";
import { repositoryRoot } from "../../../names/repository-root";
import { PROJECT } from "../../../offline/environment";
import { runOffline } from "../../../offline/run";
import { formatProblems, parseEnvironmentFile } from "../../../stacks/config";
import { loadEnvironment } from "../../../stacks/config/load";
import { engineMonitor, leaveToFolder } from "../../../stacks/gitops/leave-to-folder";
import { createPlatform, planEnvironment } from "../../../stacks/program";
import { sharedRun } from "../run";
import { changedText } from "../texts";

const gitops = (name: string) => ({
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: "https://git.example.com/platform/gitops.git",
  path: `clusters/${name}`,
});

/** As `pulumi up` does it, with mocks for the engine, whose URNs name one component alone: the folder's are known by an earlier run. */
async function upOf(name: string, folders: ReadonlySet<string>) {
  const file = parseEnvironmentFile(changedText(name, { gitops: gitops(name) }));
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, name));
  }
  const keyOf = (urn: string) => {
    const [, , types = "", resource] = urn.split("::");
    return `${types.split("$").at(-1)} ${resource}`;
  };
  return runOffline(
    async () => {
      leaveToFolder(engineMonitor(), ({ urn }) => (folders.has(keyOf(urn)) ? "folder" : "up"));
      const loaded = loadEnvironment();
      const plan = await planEnvironment(name, loaded, repositoryRoot());
      return (await createPlatform({ ...loaded, plan })).stackOutputs;
    },
    { project: PROJECT, stack: name, config: file.config, secretKeys: file.secretKeys },
  );
}

describe.each(["dev", "edge-nvidia", "aws-prod"] as const)("up of %s with gitops", (name) => {
  it("makes its part as it does without, and shows the same outputs", async () => {
    const whole = await sharedRun(name, { gitops: gitops(name) });
    const folders = whole.resources.filter((resource) => ownerOf(resource) === "folder");
    expect(folders.length).toBeGreaterThan(50);
    const { resources, outputs } = await upOf(name, new Set(folders.map(({ type, name: own }) => `${type} ${own}`)));
    const left = new Set(folders.map(({ urn }) => urn));
    for (const expected of whole.resources.filter(({ urn }) => !left.has(urn))) {
      const { inputs, waitsFor, origins } = resources.find(({ urn }) => urn === expected.urn) ?? {};
      expect([expected.urn, inputs]).toEqual([expected.urn, expected.inputs]);
      const named = [...(waitsFor ?? []), ...Object.values(origins ?? {}).flat()];
      expect([expected.urn, named.filter((urn) => left.has(urn))]).toEqual([expected.urn, []]);
    }
    expect(outputs).toEqual(whole.recording.outputs);
  }, 60_000);
});
