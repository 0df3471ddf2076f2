/** A node is lost with a pod of a StatefulSet on it: it stays until the runbook's commands say that the machine is off, and comes elsewhere. */
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { blocksBelow, runbookPage, shell } from "./runbook-shell";

/** Nobody plays a kubelet: what is bound stays as it is, as on a machine that is gone. */
const NODES = ["worker-1", "worker-2"];
const READY = [{ type: "Ready", status: "True" }];
const POD = { apiVersion: "v1", kind: "Pod", metadata: { name: "minio-0", namespace: "default" } };

interface Pod extends KubernetesObject {
  readonly spec: { readonly nodeName?: string };
}

describe("a node that is lost", { timeout: 300_000 }, () => {
  const plane = sharedBySuite(async () => {
    const started = await ControlPlane.start({ controllers: true });
    started.run(requirePart("kube-scheduler"), [
      `--kubeconfig=${started.kubeconfig}`,
      "--secure-port=0",
      "--leader-elect=false",
    ]);
    await Promise.all(NODES.map((name) => started.client.create(node(name))));
    await waitFor("the account of pods", async () => {
      const metadata = { name: "default", namespace: "default" };
      return started.client.get({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    });
    await started.client.create(STATEFUL_SET);
    return started;
  });
  const [, [taint = ""] = [], back = []] = blocksBelow(runbookPage(), "### When a node is lost");
  let first: Pod;

  const pod = async () => (await plane().client.get(POD)) as Pod | undefined;
  const bound = (but?: string) =>
    waitFor("the pod to have a node", async () => {
      const found = await pod();
      return found?.spec.nodeName !== undefined && found.metadata.uid !== but ? found : undefined;
    });
  const run = async (line: string): Promise<void> => {
    const { status, output } = await shell(line.replaceAll("<node>", first.spec.nodeName ?? ""), plane());
    expect([line, status, output]).toEqual([line, 0, expect.any(String)]);
  };

  it("keeps a StatefulSet's pod, which is marked for deletion", async () => {
    first = await bound();
    const lost = JSON.stringify({ status: { conditions: [{ type: "Ready", status: "Unknown" }] } });
    await run(`kubectl patch node <node> --subresource=status --patch '${lost}'`);
    await waitFor("the pod to be marked", async () => (await pod())?.metadata.deletionTimestamp);
    // As long as a controller could take to make another one.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect((await pod())?.metadata.uid).toBe(first.metadata.uid);
  });

  it("gives it up once the runbook's taint says that the machine is off: it is made anew on another node", async () => {
    expect(taint).toBe("kubectl taint nodes <node> node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
    await run(taint);
    const second = await bound(first.metadata.uid);
    expect(second.spec.nodeName).not.toBe(first.spec.nodeName);
  });

  it("loses its taint, and is deleted, by the runbook's last commands", async () => {
    expect(back).toHaveLength(2);
    for (const line of back) {
      await run(line);
    }
    const left = await plane().client.list("v1", "Node");
    expect(left.map(({ metadata }) => metadata.name)).toEqual(NODES.filter((name) => name !== first.spec.nodeName));
  });
});

function node(name: string): KubernetesObject {
  const resources = { cpu: "4", memory: "8Gi", pods: "20" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    status: { capacity: resources, allocatable: resources, conditions: READY },
  };
}

/** Evicted after a second, where Kubernetes waits for five minutes. */
const TOLERATIONS = ["unreachable", "not-ready"].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 1,
}));

const STATEFUL_SET: KubernetesObject = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "minio", namespace: "default" },
  spec: {
    replicas: 1,
    serviceName: "minio",
    selector: { matchLabels: { app: "minio" } },
    template: {
      metadata: { labels: { app: "minio" } },
      spec: { tolerations: TOLERATIONS, containers: [{ name: "minio", image: "example.com/minio:1" }] },
    },
  },
};
