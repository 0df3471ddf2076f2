/** A platform that runs moves to the real Argo CD and back, on the real engine and a real control plane, by the commands of docs/gitops.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ARGO_CD_CHARTS_NAMESPACE, ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import { repositoryRoot } from "../../../names/repository-root";
import { released, stackState, takenBack } from "../../../stacks/gitops/state";
import { operation } from "../../e2e/engine/operations";
import { TestBed } from "../../e2e/engine/test-bed";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { shell } from "../restore/runbook-shell";
import { gitopsEnvironment, renderingOf, withGitops } from "./environment";
import { GitOps } from "./gitops";

const CONFIG = withGitops("dev");

describe("dev, moved to the real Argo CD and back", { timeout: 1_800_000 }, () => {
  const bed = sharedBySuite(() => TestBed.start("dev", CONFIG));
  const up = (refresh = false) => operation((onEvent) => bed().stack.up({ onEvent, refresh }));
  const state = async () => stackState.parse(await bed().exportEncrypted());
  const load = (moved: unknown) =>
    bed().stack.importStack(moved as Parameters<ReturnType<typeof bed>["stack"]["importStack"]>[0]);
  const addSection = async () => {
    for (const [key, value] of Object.entries(CONFIG)) {
      await bed().stack.setConfig(key, value);
    }
  };
  const removeSection = async () => {
    for (const key of Object.keys(CONFIG)) {
      await bed().stack.removeConfig(key);
    }
  };
  /** Without those of Jobs, which run once more under the names that the folder gives them. */
  const pods = async () => {
    const all = await bed().plane.client.list("v1", "Pod");
    return all
      .filter((pod) => !isOfJob(pod))
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name} ${metadata.uid}`)
      .toSorted();
  };
  /** Each object of the folder that was there before Argo CD: what it is, and what its pods are made of. */
  const identities = async (only?: ReadonlySet<string>) =>
    new Map(
      [...(await gitops().live())]
        .filter(([name, { kind }]) => kind !== "Application" && (only?.has(name) ?? true))
        .map(([name, { metadata, spec }]) => {
          const { template } = Object(spec) as { template?: unknown };
          return [name, `${metadata.uid} ${JSON.stringify(template)}`];
        }),
    );
  let started: GitOps | undefined;
  afterAll(() => started?.stop());
  const gitops = () => started ?? expect.unreachable("Argo CD does not run");
  let before: Awaited<ReturnType<typeof state>>;
  let running: readonly string[];
  let objects: ReadonlyMap<string, string>;

  it("runs without Argo CD", async () => {
    await removeSection();
    await up();
    before = await state();
    running = await pods();
    expect(running.length).toBeGreaterThan(3);
  });

  it("is taken over by Argo CD: the same objects, the same pods", async () => {
    await addSection();
    await load(released(before).state);
    const { steps } = await up();
    expect(steps.filter((step) => /^(delete|replace)/.test(step))).toEqual([]);
    const rendering = await renderingOf(gitopsEnvironment("dev"));
    started = await GitOps.start(bed().plane, "dev", rendering, bed().offline.recording.resources);
    const ours = new Set((await identitiesBefore(gitops())).keys());
    objects = await identities(ours);
    expect(objects.size).toBeGreaterThan(60);
    await gitops().root.healthyAt(gitops().commit, 1200);
    expect(await identities(ours)).toEqual(objects);
    expect(await pods()).toEqual(running);
    expect((await up()).steps).toEqual([]);
  });

  it("ends Pulumi's share of the fields by the page's commands, after which Git's are gone with Git", async () => {
    const [commands = ""] = blocksOf("### Move a running platform to Argo CD").filter((block) =>
      block.includes("managedFields"),
    );
    expect((await pulumiManaged()).length).toBeGreaterThan(10);
    const { status, output } = await shell(`bash -euo pipefail -c '${commands.replaceAll("'", "'\\''")}'`, bed().plane);
    expect(status, output).toBe(0);
    expect(await pulumiManaged()).toEqual([]);
    expect(await pods()).toEqual(running);
  });

  it("moves back: Argo CD alone goes", async () => {
    const [commands = ""] = blocksOf("### Move back to Pulumi");
    const name = "inference-edge-nvidia-root";
    expect(commands).toContain(name);
    const stop = commands.slice(0, commands.indexOf("pulumi stack export")).replaceAll(name, "inference-dev-root");
    const { status, output } = await shell(stop, bed().plane);
    expect(status, output).toBe(0);
    await load(takenBack(await state(), before).state);
    await removeSection();
    await bed().setVariables({ PULUMI_K8S_ENABLE_PATCH_FORCE: "true" });
    const { steps } = await up(true);
    const gone = steps.filter((step) => /^(delete|replace)/.test(step));
    expect(
      gone.filter((step) => !step.includes("platform-gitops") && !/^delete (pulumi|tls) default/.test(step)),
    ).toEqual([]);
    expect(gone).toContain("delete Application platform-gitops-root");
    expect(steps.filter((step) => step.startsWith("create"))).toEqual([]);
    expect(await identities(new Set(objects.keys()))).toEqual(objects);
    expect(await pods()).toEqual(running);
    const namespaces = (await bed().plane.client.list("v1", "Namespace")).map(({ metadata }) => metadata.name);
    expect(namespaces.filter((each) => [ARGO_CD_NAMESPACE, ARGO_CD_CHARTS_NAMESPACE].includes(each))).toEqual([]);
  });

  /** Objects of the folder with fields of Pulumi. */
  async function pulumiManaged(): Promise<readonly string[]> {
    const managers = ({ metadata }: KubernetesObject) =>
      ((metadata.managedFields ?? []) as readonly { readonly manager: string }[]).map(({ manager }) => manager);
    return [...(await gitops().live())].flatMap(([name, object]) =>
      managers(object).some((manager) => manager.startsWith("pulumi-kubernetes")) ? [name] : [],
    );
  }
});

function isOfJob({ metadata }: KubernetesObject): boolean {
  const { ownerReferences = [] } = metadata as { readonly ownerReferences?: readonly { readonly kind: string }[] };
  return ownerReferences.some(({ kind }) => kind === "Job");
}

/** What is there before Argo CD applies anything: without its own monitors. */
async function identitiesBefore(gitops: GitOps): Promise<ReadonlyMap<string, KubernetesObject>> {
  return new Map([...(await gitops.live())].filter(([name]) => !name.includes("/argocd-")));
}

/** Shell blocks of docs/gitops.md below a heading. */
function blocksOf(heading: string): readonly string[] {
  const page = readFileSync(join(repositoryRoot(), "docs/gitops.md"), "utf8");
  const [, section = ""] = page.slice(page.indexOf(`\n${heading}\n`)).split(/^#{2,} .*$/m);
  return [...section.matchAll(/^ *```(?:ba)?sh\n([\s\S]*?)^ *```$/gm)].map(([, text = ""]) => text);
}
