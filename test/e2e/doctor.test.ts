import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request as forward, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../cli/doctor";
import { type DoctorReport, doctorSchema } from "../../cli/doctor/result";
import type { KubernetesObject } from "../../kubernetes/object";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf, runNodes } from "../../rehearsal/cluster/existing-parts";
import { accessOf, kubeconfigOf } from "../../rehearsal/cluster/kubeconfig";
import { waitFor } from "../../rehearsal/cluster/wait";
import { type CommandResult, environmentIn, onA10, runPiped, useFolder } from "../cli/run";
import { poolPlansOf } from "./doctor/pool-plans";

const folder = useFolder();

const DEFAULT_CLASS: KubernetesObject = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "disks", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "disks.example.com",
  allowVolumeExpansion: true,
};

/** What kubectl and most installers make of a controller. */
function workload(kind: "Deployment" | "DaemonSet", namespace: string, name: string, image: string): KubernetesObject {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image }] } },
    },
  };
}

const CALICO = workload("DaemonSet", "kube-system", "calico-node", "quay.io/calico/node:v3.30.3");

function dnsPod(labels: Record<string, string>): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "coredns", namespace: "kube-system", labels },
    spec: { containers: [{ name: "coredns", image: "registry.k8s.io/coredns/coredns:v1.13.1" }] },
  };
}

describe("npm run doctor, against a real API server with KWOK's nodes", { timeout: 300_000 }, () => {
  let plane: ControlPlane;
  let kubeconfig: string;
  let proxy: Server | undefined;

  beforeAll(async () => {
    plane = await ControlPlane.start({ controllers: true });
    kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, readFileSync(plane.kubeconfig));
    const laptops = await poolPlansOf("dev");
    await runNodes(plane, nodesOf(laptops));
    await Promise.all(
      [DEFAULT_CLASS, CALICO, dnsPod({ "k8s-app": "kube-dns" })].map((one) => plane.client.create(one)),
    );
    await waitFor("the node and DNS to be ready", async () => {
      const report = await reportOf("dev");
      return report.ok ? true : undefined;
    });
  }, 120_000);

  afterAll(async () => {
    proxy?.close();
    await plane.stop();
  });

  function doctor(...argv: string[]): Promise<CommandResult> {
    const hasOwn = argv.includes("--kubeconfig");
    return runPiped(main, [...argv, ...(hasOwn ? [] : ["--kubeconfig", kubeconfig])]);
  }

  /** What is said of the cluster: which tools this machine has is another matter. */
  async function reportOf(...argv: string[]): Promise<DoctorReport> {
    const { out, err } = await doctor(...argv, "--json");
    expect(err).toBe("");
    const report = doctorSchema.parse(JSON.parse(out));
    return { ...report, checks: report.checks.filter(({ check }) => check !== "tool") };
  }

  /** The one red check of a run that ends with 1. */
  async function onlyRed(...argv: string[]): Promise<DoctorReport["checks"][number]> {
    const { status, out } = await doctor(...argv, "--json");
    const { ok, checks } = doctorSchema.parse(JSON.parse(out));
    expect([status, ok]).toEqual([1, false]);
    const red = checks.filter((check) => check.status === "failed");
    expect(red).toHaveLength(1);
    return red[0] as DoctorReport["checks"][number];
  }

  /** Breaks the cluster for one question, and mends it. */
  async function without<T>(object: KubernetesObject, question: () => Promise<T>): Promise<T> {
    await plane.client.delete(object, 0);
    try {
      return await question();
    } finally {
      await waitFor(`${object.kind} ${object.metadata.name} to be back`, async () => {
        return (await plane.client.create(object)) || undefined;
      });
    }
  }

  it("is green for dev, in words and in JSON", async () => {
    const { status, out, err } = await doctor("dev");
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(/^✓ API server +https:\/\/127\.0\.0\.1:\d+ answers$/m);
    expect(out).toMatch(/^✓ Kubernetes +v1\.36\.\d+$/m);
    expect(out).toMatch(/^✓ NetworkPolicies +Calico runs$/m);
    expect(out).toMatch(/^✓ Cluster DNS +1 ready pod/m);
    expect(out).toMatch(/^✓ Storage class +disks, disks\.example\.com$/m);
    expect(out).toMatch(/^✓ Pool laptop +1 node$/m);
    expect(out).toMatch(/^✓ Rights +everything$/m);
    expect(out).toContain("Next: pulumi up -s dev --policy-pack policies\n");
    expect(out.split("\n").every((line) => line.length <= 100)).toBe(true);
    const { cluster, checks } = await reportOf("dev");
    expect(cluster?.context).toBe("e2e");
    // KWOK's nodes have no kubelet.
    expect(checks.filter(({ status: one }) => one !== "passed").map(({ check }) => check)).toEqual([
      "kubelet-versions",
    ]);
  });

  it("1: an old version, said by what stands before the API server", async () => {
    const { port, ca, token } = accessOf(readFileSync(kubeconfig, "utf8"));
    const { certificate, key } = plane.certificate;
    proxy = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (incoming, outgoing) => {
      const target = {
        host: "127.0.0.1",
        port,
        ca,
        path: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
      };
      if (incoming.url === "/version") {
        outgoing.setHeader("content-type", "application/json").end(JSON.stringify({ gitVersion: "v1.32.9" }));
        return;
      }
      const passed = forward(target, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => proxy?.listen(0, "127.0.0.1", resolve));
    const before = join(folder, "before.kubeconfig");
    writeFileSync(before, kubeconfigOf({ port: (proxy.address() as AddressInfo).port, ca, token }));
    const red = await onlyRed("dev", "--kubeconfig", before);
    expect(red).toMatchObject({ title: "Kubernetes", found: "v1.32.9", needed: "1.33 to 1.36 (Envoy Gateway 1.9)" });
    expect(red.remedies.join()).toContain("upgrade the control plane");
  });

  it("2: no storage class", async () => {
    const red = await without(DEFAULT_CLASS, () => onlyRed("dev"));
    expect(red).toMatchObject({
      title: "Storage class",
      found: "there is no class at all: volumes would wait for ever",
    });
    expect(red.remedies.join()).toContain("install a CSI driver");
  });

  it("3: no GPUs: nodes of the pool whose device plugin is missing, and none at all", async () => {
    const environment = onA10(
      {},
      {
        cluster: { kind: "oci", storageClass: "disks" },
        gateway: { hostname: "i.example.internal", exposure: "ClusterIP", tls: { kind: "self-signed" } },
      },
    );
    const file = environmentIn(folder, environment);
    const nodes = nodesOf(await poolPlansOf("test", file), ({ minNodes }) => minNodes).map((node) => {
      const { "nvidia.com/gpu": _gpu, ...rest } = (node.status as { allocatable: Record<string, string> }).allocatable;
      return { ...node, status: { capacity: rest, allocatable: rest } };
    });
    const none = await reportOf("test", "--config", file);
    expect(none.checks.filter(({ status }) => status === "failed").map(({ title, found }) => [title, found])).toEqual([
      ["Pool system", "no node has these labels"],
      ["Pool gpu", "no node has these labels"],
    ]);
    await Promise.all(nodes.map((node) => plane.client.create(node)));
    try {
      await waitFor("the nodes to be ready", async () => {
        const found = await Promise.all(nodes.map((node) => plane.client.get(node)));
        // The node controller removes its taint a moment after the kubelet says that it is ready.
        const isReady = (node?: KubernetesObject) =>
          JSON.stringify(node?.status).includes('"reason":"KubeletReady"') &&
          !JSON.stringify(node?.spec).includes("node.kubernetes.io/not-ready");
        return found.every(isReady) || undefined;
      });
      const red = await onlyRed("test", "--config", file);
      expect(red).toMatchObject({ title: "Pool gpu", found: "no nvidia.com/gpu on gpu-0" });
      expect(red.needed).toContain("with 2 × nvidia.com/gpu");
      expect(red.remedies.join()).toContain("install the driver and its device plugin");
    } finally {
      await Promise.all(nodes.map((node) => plane.client.delete(node)));
    }
  });

  it("4: an Envoy Gateway of somebody else, in the very namespace that ours would have", async () => {
    const namespace = "envoy-gateway-system";
    await plane.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const foreign = workload("Deployment", namespace, "envoy-gateway", "docker.io/envoyproxy/gateway:v1.5.0");
    await plane.client.create(foreign);
    try {
      const red = await onlyRed("dev");
      expect(red).toMatchObject({
        title: "Envoy Gateway",
        found: "envoy-gateway-system/envoy-gateway, not the platform's",
      });
      expect(red.remedies.join()).toContain("kubectl -n envoy-gateway-system delete deployment envoy-gateway");
      // The platform labels its namespaces: then it is its own.
      const labels = { "app.kubernetes.io/part-of": "inference-stacks" };
      const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
      await plane.client.patch(home, { metadata: { labels } });
      const { ok, checks } = await reportOf("dev");
      expect([ok, checks.find(({ title }) => title === "Envoy Gateway")?.status]).toEqual([true, "passed"]);
    } finally {
      await plane.client.delete(foreign);
    }
  });

  it("5: CoreDNS without the label", async () => {
    const labelled = dnsPod({ "k8s-app": "kube-dns" });
    const red = await without(labelled, async () => {
      const other = workload("Deployment", "kube-system", "coredns", "registry.k8s.io/coredns/coredns:v1.13.1");
      await plane.client.create(other);
      try {
        return await onlyRed("dev");
      } finally {
        await plane.client.delete(other);
      }
    });
    expect(red).toMatchObject({
      title: "Cluster DNS",
      found: "coredns runs there without that label: pods could resolve no name",
    });
    expect(red.remedies[0]).toContain("add k8s-app: kube-dns");
  });

  it("6: a user who may read, and make nothing", async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader", namespace: "default" } };
    const role: KubernetesObject = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "doctor-reader" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] }],
    };
    const binding: KubernetesObject = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "doctor-reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "doctor-reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
    };
    await Promise.all([account, role].map((one) => plane.client.create(one)));
    const path = "/api/v1/namespaces/default/serviceaccounts/reader/token";
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const { body } = await plane.client.request("POST", path, JSON.stringify(request));
    const { token } = (body as { readonly status: { readonly token: string } }).status;
    const own = join(folder, "reader.kubeconfig");
    writeFileSync(own, kubeconfigOf({ ...accessOf(readFileSync(kubeconfig, "utf8")), token }));

    // Nobody yet: nothing can be told, and that is no failure of the cluster, but of the one who asks.
    const blind = await onlyRed("dev", "--kubeconfig", own);
    expect(blind.title).toBe("Rights");
    const { checks } = await reportOf("dev", "--kubeconfig", own);
    expect(checks.find(({ title }) => title === "Cluster DNS")).toMatchObject({
      status: "unknown",
      found: "not known: no right to ask for it (403)",
    });

    await plane.client.create(binding);
    const red = await waitFor("the binding to hold", async () => {
      const report = await reportOf("dev", "--kubeconfig", own);
      const open = report.checks.filter(({ status }) => status !== "passed" && status !== "not asked");
      return open.length === 1 ? open[0] : undefined;
    });
    expect(red).toMatchObject({ title: "Rights", status: "failed" });
    expect(red?.found).toContain("no right to create, delete namespaces");
    expect(red?.remedies.join()).toContain("cluster-admin");
  });

  it("7: nobody there", async () => {
    const gone = join(folder, "gone.kubeconfig");
    writeFileSync(gone, kubeconfigOf({ port: 1, ca: "", token: "t" }));
    const red = await onlyRed("dev", "--kubeconfig", gone);
    expect(red).toMatchObject({ title: "API server", found: "nothing listens at 127.0.0.1:1" });
    const { checks } = await reportOf("dev", "--kubeconfig", gone);
    expect(new Set(checks.slice(1).map(({ status }) => status))).toEqual(new Set(["not asked"]));
  });

  it("logs in by the kubeconfig's exec plugin, in a context that is named", async () => {
    const { port, ca, token } = accessOf(readFileSync(kubeconfig, "utf8"));
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      kind: "ExecCredential",
      status: { token },
    };
    const file = join(folder, "exec.kubeconfig");
    writeFileSync(
      file,
      JSON.stringify({
        "current-context": "other",
        clusters: [
          {
            name: "oke",
            cluster: {
              server: `https://127.0.0.1:${port}`,
              "certificate-authority-data": Buffer.from(ca).toString("base64"),
            },
          },
        ],
        contexts: [{ name: "oke", context: { cluster: "oke", user: "oke" } }],
        users: [
          {
            name: "oke",
            user: {
              exec: {
                apiVersion: "client.authentication.k8s.io/v1beta1",
                command: process.execPath,
                args: ["-e", "process.stdout.write(process.env.CREDENTIAL)"],
                env: [{ name: "CREDENTIAL", value: JSON.stringify(credential) }],
              },
            },
          },
        ],
      }),
    );
    const { status, out } = await doctor("dev", "--kubeconfig", file, "--kube-context", "oke");
    expect([status, out.split("\n")[0]]).toEqual([0, expect.stringContaining("(context oke)")]);
    expect(await onlyRed("dev", "--kubeconfig", file)).toMatchObject({
      found: 'the kubeconfig has no context "other"',
    });
  });
});
