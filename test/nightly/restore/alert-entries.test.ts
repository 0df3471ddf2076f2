/**
 * What the runbook tells to do when the gateway is down, and when an engine stalls, on a real API server with its scheduler and controllers: each of its
 * commands shows what the entry says, or does it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { FakeKubelet } from "./fake-kubelet";
import { commandsInText, entryLines, runbookPage, shell } from "./runbook-shell";

interface Pod extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec: { readonly nodeName?: string };
}

const LOG = "a line of a log";
const PROXIES = deployment("inference-gateway", "envoy-inference-gateway", 2);
const CONTROLLER = deployment("envoy-gateway-system", "envoy-gateway", 1);
/** Long graces, as engines have that wait for their requests. */
const ENGINE = deployment("model-chat", "model-chat", 1, 600);

describe("entries of alerts", { timeout: 300_000 }, () => {
  let plane: ControlPlane;
  let kubelet: FakeKubelet;
  beforeAll(async () => {
    plane = await ControlPlane.start({ controllers: true });
    kubelet = await FakeKubelet.start(plane, LOG);
    plane.run(requirePart("kube-scheduler"), [
      `--kubeconfig=${plane.kubeconfig}`,
      "--secure-port=0",
      "--leader-elect=false",
    ]);
    for (const { metadata } of [PROXIES, CONTROLLER, ENGINE]) {
      const namespace = metadata.namespace ?? "";
      await plane.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      await waitFor("the account of pods", () =>
        plane.client.get({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } }),
      );
    }
  }, 120_000);
  afterAll(async () => {
    await kubelet?.stop();
    await plane?.stop();
  });

  const podsOf = async ({ metadata: { namespace } }: KubernetesObject) =>
    ((await plane.client.list("v1", "Pod")) as Pod[]).filter((pod) => pod.metadata.namespace === namespace);
  const bound = (owner: KubernetesObject, but?: Pod) =>
    waitFor(`a pod of ${owner.metadata.name} to have a node`, async () =>
      (await podsOf(owner)).find(
        ({ metadata, spec }) => spec.nodeName !== undefined && metadata.uid !== but?.metadata.uid,
      ),
    );
  const must = async (line: string): Promise<string> => {
    const { status, output } = await shell(line, plane);
    expect([line, status, output]).toEqual([line, 0, expect.any(String)]);
    return output;
  };

  describe("GatewayDown", () => {
    const heading = "### GatewayDown";
    const [show = "", events = "", log = "", ...more] = entryLines(runbookPage(), heading);
    const [restart = "", ...others] = commandsInText(runbookPage(), heading);

    it("has no command besides those that are tried here", () => {
      expect([more, others]).toEqual([[], []]);
    });

    it("shows no Deployment where Envoy Gateway made none", async () => {
      expect(await must(show)).toContain("No resources found in inference-gateway namespace");
    });

    it("shows pods for which no node has room, and the scheduler's reason", async () => {
      await plane.client.create(PROXIES);
      await waitFor("the pods", async () => ((await podsOf(PROXIES)).length === 2 ? true : undefined));
      const shown = await must(show);
      expect(shown).toMatch(/deployment\.apps\/envoy-inference-gateway +0\/2/);
      expect(shown.match(/pod\/envoy-inference-gateway-\S+ +0\/1 +Pending/g)).toHaveLength(2);
      await waitFor("the scheduler's word", async () => /FailedScheduling/.test(await must(events)) || undefined);
    });

    it("shows the controller's log, and makes a controller that is stuck anew", async () => {
      await plane.client.create(kubelet.node("worker-1"));
      await plane.client.create(CONTROLLER);
      const first = await bound(CONTROLLER);
      expect(await must(log)).toContain(LOG);
      expect(kubelet.asked.at(-1)).toMatch(/^envoy-gateway-system\/envoy-gateway-\S+\/main\?.*tailLines=50/);
      await must(restart);
      expect((await bound(CONTROLLER, first)).metadata.name).not.toBe(first.metadata.name);
    });
  });

  describe("EngineStalled", () => {
    const heading = "### EngineStalled";
    const [log = "", node = "", ...more] = entryLines(runbookPage(), heading);
    const [remove = "", cordon = "", ...others] = commandsInText(runbookPage(), heading);
    let stalled: Pod;
    const of = (line: string) =>
      line
        .replaceAll("<model>", "chat")
        .replaceAll("<pod>", stalled.metadata.name)
        .replaceAll("<node>", stalled.spec.nodeName ?? "");

    it("has no command besides those that are tried here", () => {
      expect([more, others]).toEqual([[], []]);
    });

    it("shows the engine's log and its node", async () => {
      await plane.client.create(ENGINE);
      stalled = await bound(ENGINE);
      expect(await must(of(log))).toContain(LOG);
      expect(kubelet.asked.at(-1)).toMatch(/^model-chat\/model-chat-\S+\/main\?.*tailLines=50/);
      expect((await must(of(node))).trim()).toBe("worker-1");
    });

    it("ends the pod without its long grace, and brings the next one to another node", async () => {
      await plane.client.create(kubelet.node("worker-2"));
      await must(of(cordon));
      const removed = must(of(remove));
      const marked = await waitFor("the pod to be marked", async () =>
        (await podsOf(ENGINE)).find(({ metadata }) => metadata.deletionTimestamp !== undefined),
      );
      expect([marked.metadata.uid, marked.metadata.deletionGracePeriodSeconds]).toEqual([stalled.metadata.uid, 1]);
      // As its kubelet does once the containers have ended.
      await plane.client.delete(stalled, 0);
      await removed;
      expect((await bound(ENGINE, stalled)).spec.nodeName).toBe("worker-2");
    });
  });
});

function deployment(namespace: string, name: string, replicas: number, grace = 30): KubernetesObject {
  const labels = { app: name };
  const containers = [{ name: "main", image: "example.com/main:1", resources: { requests: { cpu: "100m" } } }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: grace } },
    },
  };
}
