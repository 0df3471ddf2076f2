/** What `make install` ends with, on a real API server: a model that starts, and Argo CD's Application, whose status the test sets. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { main } from "../../cli/smoke";
import type { KubernetesObject } from "../../kubernetes/object";
import { ISSUED_SECRET } from "../../names/gateway";
import { ARGO_CD_NAMESPACE, GATEWAY_NAMESPACE } from "../../names/namespaces";
import { repositoryRoot } from "../../names/repository-root";
import { applyPlatform, prepareCluster } from "../../rehearsal/bring-up";
import { installChartCrds } from "../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { runPiped } from "../cli/run";
import { ANSWER, closeServers, type FakeServer, serve } from "../cli/smoke-servers";
import { changedRun } from "../stacks/run";
import { poolPlansOf } from "./doctor/pool-plans";

const MODEL = "assistant";
const GITOPS = {
  ...{ engine: "argo-cd", acknowledgeClusterAdmin: true },
  ...{ repository: "https://git.example.com/x.git", path: "dev" },
};
const APPLICATION: KubernetesObject = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "inference-dev-root", namespace: ARGO_CD_NAMESPACE },
};
const KEY = "the-key-of-the-consumer";

describe("the check at the end of an installation", { timeout: 180_000 }, () => {
  let plane: ControlPlane;
  let front: FakeServer;
  let folder = "";
  let file = "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "smoke-stack-"));
    file = join(folder, "Pulumi.dev.yaml");
    const { config } = parse(readFileSync(join(repositoryRoot(), "Pulumi.dev.yaml"), "utf8"));
    config["inference-stacks:gitops"] = GITOPS;
    config["inference-stacks:gateway"].exposure = "NodePort";
    writeFileSync(file, stringify({ config }));
    front = await serve({
      [`GET /${MODEL}/v1/models`]: () => ({ body: { data: [{ id: "id" }] } }),
      [`POST /${MODEL}/v1/chat/completions`]: () => ANSWER,
    });
    plane = await ControlPlane.start({ controllers: true });
    const { resources } = await changedRun("dev", {});
    const objects = recordedObjects(resources);
    await prepareCluster(plane, nodesOf(await poolPlansOf("dev")), objects);
    expect((await applyPlatform(plane.client, objects)).refused).toEqual([]);
    await installChartCrds(plane.client, "argo-cd", new Set(["Application.argoproj.io"]));
    const { client } = plane;
    const secret = (name: string, stringData: object) =>
      client.create({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: GATEWAY_NAMESPACE }, stringData });
    await secret("own-consumer", { default: KEY });
    await secret(ISSUED_SECRET, { "ca.crt": "no certificate is looked at over HTTP" });
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: ARGO_CD_NAMESPACE } });
    await client.create({
      ...APPLICATION,
      spec: { project: "default", source: { repoURL: GITOPS.repository, path: "dev" }, destination: {} },
    });
    outputs();
    vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
  }, 300_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    closeServers();
    rmSync(folder, { recursive: true, force: true });
    await plane?.stop();
  });

  /** A pulumi whose stack has this cluster and this address. */
  function outputs(): void {
    const said = {
      kubeconfig: readFileSync(plane.kubeconfig, "utf8"),
      consumerSecrets: { default: "own-consumer" },
      models: { [MODEL]: { baseUrl: `${front.url}/${MODEL}/v1`, modelId: "id" } },
    };
    writeFileSync(join(folder, "outputs"), JSON.stringify(said));
    writeFileSync(join(folder, "pulumi"), `#!/bin/sh\ncat "${folder}/outputs"\n`);
    chmodSync(join(folder, "pulumi"), 0o755);
  }

  const smoke = (...argv: string[]) => runPiped(main, ["dev", "--config", file, ...argv]);
  const reported = (sync: string, health: string) =>
    plane.client.patch(APPLICATION, { status: { sync: { status: sync }, health: { status: health } } });

  it("asks no model before the root Application is Synced and Healthy, and shows how far it is", async () => {
    await reported("OutOfSync", "Progressing");
    const check = smoke();
    await new Promise((resolve) => setTimeout(resolve, 8000));
    expect(front.requests).toEqual([]);
    await reported("Synced", "Healthy");
    const { status, out, err } = await check;
    expect([status, out]).toEqual([0, expect.stringMatching(/latency +✓ passed/)]);
    expect(err).toMatch(/^… \d+ s of at most \d+ min · Argo CD OutOfSync, Progressing/m);
    expect(new Set(front.requests.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${KEY}`]));
    expect(`${out}${err}`).not.toContain(KEY);
  });

  it("does not fail while the Application or a model is still on its way", async () => {
    await reported("Synced", "Progressing");
    const early = await smoke("--wait", "1");
    expect([early.status, early.out]).toEqual([
      0,
      expect.stringContaining("Not checked yet: Argo CD Synced, Progressing"),
    ]);
    await reported("Synced", "Healthy");
  });

  it("says what a broken model has had for a while", async () => {
    const namespace = `model-${MODEL}`;
    const pods = await waitFor("its pod", async () => {
      const found = await plane.client.list("v1", "Pod");
      return found.find(({ metadata }) => metadata.namespace === namespace);
    });
    const path = `/api/v1/namespaces/${namespace}/pods/${pods.metadata.name}/status`;
    const container = { name: "ollama", image: "ollama", imageID: "", ready: false, restartCount: 7 };
    const crashed = {
      conditions: [{ type: "Ready", status: "False" }],
      containerStatuses: [
        {
          ...container,
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
        },
      ],
    };
    await plane.client.request("PATCH", path, JSON.stringify({ status: crashed }), "application/merge-patch+json");
    const { status, out } = await smoke("--wait", "1");
    expect([status, out]).toEqual([1, expect.stringContaining("was restarted 7 times")]);
    expect(out).toContain("Check again: npm run smoke -- dev");
  });
});
