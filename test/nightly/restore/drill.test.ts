/** The state and the model store of an environment are lost and come back by the commands of the runbook, as written there. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { CommandLineStack } from "../../e2e/engine/command-line-stack";
import { type ExportedDeployment, generatedPasswords, leaks } from "../../e2e/engine/secret-search";
import { runbookSteps } from "../../e2e/faults/runbook";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { entryLines, runbookPage, shell, shellLines } from "./runbook-shell";

const UP = ["up", "--yes", "--skip-preview"];
/** The smallest environment, with an engine that takes its model from the store. */
const MODELS = {
  "inference-stacks:models": {
    value: JSON.stringify({
      assistant: { model: "qwen2.5-0.5b-instruct", engine: "vllm", contextTokens: 4096, concurrency: 2 },
    }),
  },
  "inference-stacks:modelControl": { value: JSON.stringify({ enabled: false }) },
  "inference-stacks:huggingFaceToken": { value: "hf_restoreDrillToken", secret: true },
};

describe("an environment that loses what exists once", { timeout: 900_000 }, () => {
  const stack = sharedBySuite(() => CommandLineStack.start("dev", MODELS));
  const plane = () => stack().surroundings.plane;
  const backup = () => join(plane().folder, "backup.json");

  /** The program's own objects as they live, by what they are: one that was made anew has another uid. */
  const uids = async (): Promise<ReadonlyMap<string, string>> => {
    const objects = recordedObjects(stack().surroundings.offline.recording.resources);
    const found = await Promise.all(objects.map((object) => plane().client.get(object)));
    return new Map(found.flatMap((object) => (object ? [[nameOf(object), object.metadata.uid ?? ""]] : [])));
  };

  const passwords = async (): Promise<readonly string[]> => {
    const { output } = await stack().must(["stack", "export", "--show-secrets"]);
    // The engine writes resources in the order in which they were ready.
    return generatedPasswords((JSON.parse(output) as { readonly deployment: ExportedDeployment }).deployment).sort();
  };

  it("is deployed and copied, with no secret in the copy in clear", async () => {
    await stack().must(UP);
    const page = readFileSync(join(__dirname, "../../../docs/backup.md"), "utf8");
    const [, line = ""] = shellLines(page);
    expect(line).toBe("pulumi stack export -s <environment> --file <backup>");
    await stack().must(["stack", "export", "--file", backup()]);
    const secrets = [...(await passwords()), "hf_restoreDrillToken"];
    expect(secrets.length).toBeGreaterThan(3);
    expect(leaks(new Map([["backup", readFileSync(backup(), "utf8")]]), secrets)).toEqual([]);
  });

  it("has every object and key of before when its state was lost, also what was made after the copy", async () => {
    await stack().must(["config", "set", "--path", "inference-stacks:people.viewers[0]", "on-call"]);
    await stack().must(UP);
    const bindings = await plane().client.list("rbac.authorization.k8s.io/v1", "ClusterRoleBinding");
    const made = bindings.filter(({ subjects }) => JSON.stringify(subjects ?? []).includes("on-call"));
    expect(made.length).toBeGreaterThan(0);
    const [before, keys] = [await uids(), await passwords()];

    rmSync(stack().surroundings.backend, { recursive: true });
    mkdirSync(stack().surroundings.backend);
    const steps = runbookSteps("### When the Pulumi state is lost\n");
    expect(steps).toHaveLength(4);
    for (const { args, variables } of steps) {
      await stack().must(
        args.map((word) => word.replace("<backup>", backup())),
        variables,
      );
    }
    expect(await uids()).toEqual(before);
    expect(await passwords()).toEqual(keys);
    const after = await plane().client.list("rbac.authorization.k8s.io/v1", "ClusterRoleBinding");
    expect(after.map(identity)).toEqual(expect.arrayContaining(made.map(identity)));
    await stack().must([...UP, "--expect-no-changes"]);
    await stack().must(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
  });

  it("fills its store anew when that was lost, and touches nothing else", async () => {
    const isOfStore = (name: string) => /^(Job|PersistentVolumeClaim) model-store\//.test(name);
    const before = await uids();
    const lines = entryLines(runbookPage(), "### When the model store is lost");
    for (const line of lines) {
      if (line.startsWith("pulumi ")) {
        // Without --refresh the engine believes that all is there.
        await stack().must([...UP, "--expect-no-changes"]);
        await waitFor("the claim to be gone", async () => ((await uids()).has(CLAIM) ? undefined : true));
        expect(line).toBe("pulumi up --refresh -s <environment>");
        await stack().must([...UP, "--refresh"]);
      } else {
        const { status, output } = await shell(line.replace("--timeout=12h", "--timeout=120s"), plane());
        expect([line, status, output]).toEqual([line, 0, output]);
      }
    }
    const after = await uids();
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    const changed = [...after.keys()].filter((name) => after.get(name) !== before.get(name));
    expect(changed.sort()).toEqual([...before.keys()].filter(isOfStore).sort());
    expect(changed).toEqual(expect.arrayContaining([CLAIM, "Job model-store/sync-assistant"]));
    await stack().must([...UP, "--expect-no-changes"]);
  });
});

const CLAIM = "PersistentVolumeClaim model-store/minio-data";

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

function identity(object: KubernetesObject): string {
  return `${nameOf(object)} ${object.metadata.uid}`;
}
