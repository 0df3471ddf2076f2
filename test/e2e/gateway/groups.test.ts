/** A server group of two nodes behind the real gateway: each a real Envoy before an engine that the test may make ill. */
import { describe, expect, it } from "vitest";
import { modelNamespaceName } from "../../../names/namespaces";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { HeadlessName, NodePod } from "./node-pods";

const MODEL = "assistant";
const GROUP = "inference-cluster";
const OCTOPUS = { "x-octopus-tenant-id": "tenant-7", "x-octopus-correlation-id": "corr-9" };

interface Group {
  readonly stand: GatewayStand;
  readonly nodes: readonly [NodePod, NodePod];
  readonly name: HeadlessName;
  readonly modelId: string;
  stop(): Promise<void>;
}

/**
 * The second node joins when the first has answered: a proxy looks at a node once a minute that it knew before it sent its cluster
 * anything (Envoy's `no_traffic_interval`), and at a later one as often as it should.
 */
async function start(): Promise<Group> {
  const { resources, recording } = await changedRun("dev", {
    nodes: { [GROUP]: { model: MODEL } },
    modelControl: { enabled: false },
  });
  const { groups } = recording.outputs as { readonly groups: Record<string, { readonly modelId: string }> };
  const stand = await GatewayStand.start(resources, { proxies: 0, controllers: ["endpointslice-controller"] });
  const name = HeadlessName.follow(stand, `model-${MODEL}`, modelNamespaceName(MODEL));
  const modelId = groups[GROUP]?.modelId ?? "";
  const nodes: NodePod[] = [];
  const join = async (): Promise<NodePod> => {
    const node = await NodePod.start(stand, resources, MODEL, nodes.length);
    nodes.push(node);
    await waitFor("its address", async () => name.addresses.length === nodes.length || undefined, 60);
    return node;
  };
  const stop = async () => {
    await Promise.all([...nodes.map((each) => each.stop()), name.stop()]);
    await stand.stop();
  };
  try {
    const first = await join();
    await stand.startProxy();
    const answered = async () => (await stand.request(chat({}, modelId))).status === 200 || undefined;
    await waitFor("the first node's answer", answered, 60);
    return { stand, nodes: [first, await join()], name, modelId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const shared = sharedBySuite(start);

const chat = (more: object = {}, model = shared().modelId) => ({
  path: `/${GROUP}/infer`,
  consumer: "default",
  json: { model, messages: [{ role: "user", content: "Hi" }], ...more },
  headers: OCTOPUS,
});

/** Members of the largest of the group's clusters at the proxy, as its stats count them. */
async function members(): Promise<number> {
  const [proxy] = shared().stand.proxies;
  const stats = (await proxy?.stats(`model-${GROUP}/rule/.*membership_total`)) ?? new Map<string, number>();
  return Math.max(-1, ...stats.values());
}

async function counts(): Promise<readonly number[]> {
  return Promise.all(shared().nodes.map(async (node) => (await node.seen()).length));
}

/** Sends chats, one after the other, until it is told to stop. */
function keepAsking() {
  const statuses: number[] = [];
  let stopped = false;
  const asking = (async () => {
    while (!stopped) {
      statuses.push((await shared().stand.request(chat())).status);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    statuses,
    stop: async () => {
      stopped = true;
      await asking;
    },
  };
}

const health = async () => {
  const { status, headers, text } = await shared().stand.request({ path: `/${GROUP}/health`, consumer: "default" });
  return [status, headers["content-type"], text];
};

describe("a server group of two nodes", () => {
  it("shares requests among both, and passes on what callers say of themselves, not their key", async () => {
    // A node that joins is asked nothing before its first check, in each of the route's clusters for itself.
    const reached = async () => {
      expect((await shared().stand.request(chat())).status).toBe(200);
      return (await counts()).every((seen) => seen > 0) || undefined;
    };
    await waitFor("requests at both nodes", reached, 60);
    for (const node of shared().nodes) {
      const seen = await node.seen();
      expect(seen[0]?.headers).toMatchObject({
        "x-tenant-id": "tenant-7",
        "x-correlation-id": "corr-9",
        "x-consumer-id": "default",
      });
      expect(seen[0]?.headers).not.toHaveProperty("authorization");
    }
  });

  it("streams through both Envoys", async () => {
    const { headers, text } = await shared().stand.request(chat({ stream: true }));
    expect(headers["content-type"]).toBe("text/event-stream");
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("says that it is well", async () => {
    expect(await health()).toEqual([200, "application/json", '{"status":"ok"}']);
  });

  it("sends a node no request once it is not ready, and again when it is", async () => {
    const { nodes, name } = shared();
    const [well, ill] = nodes;
    const asking = keepAsking();
    const [proxy] = shared().stand.proxies;
    const attempts = async () =>
      Math.max(0, ...((await proxy?.stats(`model-${GROUP}/rule/.*health_check.attempt`)) ?? new Map()).values());
    const before = await attempts();
    await waitFor("checks every 3 s", async () => (await attempts()) > before + 2 || undefined, 30);

    // Its chats it would still answer: whoever asks it would not notice.
    await ill.engineSays(500);
    const flipped = await waitFor("a node that is not ready", async () => ill.readiness.find(({ ready }) => !ready));
    await waitFor("a name with one address", async () => name.addresses.length === 1 || undefined, 30);
    expect(name.addresses).toEqual([well.pod.address]);
    await waitFor("a proxy that forgot it", async () => (await members()) === 1 || undefined, 30);
    const until = asking.statuses.length + 40;
    await waitFor("more chats", async () => asking.statuses.length > until || undefined, 60);
    const late = (await ill.seen()).filter(({ at }) => at > flipped.at);
    expect(late).toEqual([]);
    expect((await well.seen()).filter(({ at }) => at > flipped.at).length).toBeGreaterThanOrEqual(40);
    expect(await health()).toEqual([200, "application/json", '{"status":"ok"}']);

    await ill.engineSays(200);
    const [, atIll = 0] = await counts();
    await waitFor("chats at the node that is back", async () => ((await counts())[1] ?? 0) > atIll || undefined, 90);
    expect(ill.readiness.map(({ ready }) => ready)).toEqual([true, false, true]);
    await asking.stop();
    // Nobody noticed.
    expect(new Set(asking.statuses)).toEqual(new Set([200]));
  }, 400_000);

  it("says that it is not well when no node is ready, and refuses requests as a model does", async () => {
    const { nodes, name } = shared();
    await Promise.all(nodes.map((node) => node.engineSays(503)));
    await waitFor("a name without addresses", async () => name.addresses.length === 0 || undefined, 60);
    await waitFor("a proxy that knows nobody", async () => (await members()) === 0 || undefined, 30);
    expect(await health()).toEqual([503, "application/json", '{"status":"unhealthy"}']);
    const { status, text } = await shared().stand.request(chat());
    expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: "overloaded" } }]);
  }, 200_000);
});
