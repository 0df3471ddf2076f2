import { describe, expect, it } from "vitest";
import { CLUSTER_CHECKS } from "../../../cli/doctor/checks";
import { controllers, gatewayApi } from "../../../cli/doctor/checks/controllers";
import { dns } from "../../../cli/doctor/checks/dns";
import { externalMetrics } from "../../../cli/doctor/checks/external-metrics";
import { mesh } from "../../../cli/doctor/checks/mesh";
import { networkPolicies } from "../../../cli/doctor/checks/network-policies";
import { podAddresses } from "../../../cli/doctor/checks/pod-addresses";
import { rights, WANTED_RIGHTS } from "../../../cli/doctor/checks/rights";
import { runtimeClasses } from "../../../cli/doctor/checks/runtime-class";
import { storageClasses } from "../../../cli/doctor/checks/storage-class";
import { kubeletVersions, kubernetesVersion } from "../../../cli/doctor/checks/version";
import { needsOf } from "../../../cli/doctor/needs";
import { changedRun } from "../../stacks/run";
import { a10, FORBIDDEN, facts, gist, known, named, needs, node, only, workload } from "./made-up";

describe("all checks of a cluster", () => {
  const { pool, pods } = a10({
    sharing: { timeSlicing: { replicas: 2 } },
    fabric: {
      kind: "roce",
      access: "virtual-functions",
      gbps: 100,
      device: { resource: "nvidia.com/rdma-vf", perNode: 1 },
      environment: {},
    },
  });
  const image = "vllm-cuda";
  const plain = needs({
    storageClasses: ["disks"],
    runtimeClasses: ["nvidia"],
    agents: ["rancher"],
    awsLoadBalancer: true,
    gatewayController: { namespace: "theirs" },
  });
  const wanted = {
    ...plain,
    cluster: { ...plain.cluster, gpuSoftware: "platform" as const },
    pools: [{ pool, pods: pods.map((pod) => ({ ...pod, image })) }],
  };

  it("say what is needed and how to mend it, whatever they cannot know", () => {
    const nothing = Object.fromEntries(Object.keys(facts()).map((key) => [key, FORBIDDEN]));
    const blind = { ...facts(), ...nothing, context: "test", server: "https://127.0.0.1:6443" };
    const results = CLUSTER_CHECKS.flatMap((check) => check(blind, wanted));
    expect(results.length).toBeGreaterThanOrEqual(CLUSTER_CHECKS.length);
    for (const { title, status, found, needed, remedies } of results) {
      expect([title, status, found]).toEqual([title, "unknown", `not known: ${FORBIDDEN.reason}`]);
      expect(needed).not.toBe("");
      expect(remedies.join()).toContain("a user who can read the whole cluster");
    }
  });

  it("have a remedy wherever something is red", () => {
    const bare = facts({
      version: known("v1.20.0"),
      nodes: known([]),
      daemonSets: known([workload("docker.io/flannel/flannel:v0.27.0")]),
      dnsPods: known([]),
      storageClasses: known([]),
      deployments: known([workload("docker.io/envoyproxy/gateway:v1.4.0", { namespace: "other" })]),
      rights: known([]),
    });
    const red = CLUSTER_CHECKS.flatMap((check) => check(bare, wanted)).filter(({ status }) => status === "failed");
    expect(red.map(({ title }) => title)).toEqual([
      "Kubernetes",
      "NetworkPolicies",
      "Cluster DNS",
      "Storage class",
      "Storage class disks",
      "Platform nodes",
      "Pool a10",
      "RuntimeClass nvidia",
      "Envoy Gateway",
      "Settings of Envoy Gateway",
      "AWS Load Balancer Controller",
      "Rights",
    ]);
    expect(red.filter(({ remedies }) => remedies.length === 0)).toEqual([]);
  });
});

describe("versions", () => {
  it.each([
    ["v1.33.0", "passed"],
    ["v1.36.3", "passed"],
    ["v1.34.1+k3s1", "passed"],
    ["v1.32.9", "failed"],
    ["v1.37.0", "failed"],
    ["dev", "unknown"],
  ])("of the control plane: %s is %s", (version, status) => {
    expect(only(kubernetesVersion, facts({ version: known(version) })).status).toBe(status);
  });

  it.each([
    ["v1.34.0", "passed"],
    ["v1.33.9", "warning"],
    ["v1.31.0", "warning"],
    ["v1.30.0", "failed"],
    ["v1.35.0", "failed"],
    [undefined, "not asked"],
  ])("of kubelets under v1.34.1: %s is %s", (kubeletVersion, status) => {
    expect(only(kubeletVersions, facts({ nodes: known([node("one", { kubeletVersion })]) })).status).toBe(status);
  });
});

describe("whether NetworkPolicies are enforced", () => {
  const AGENT = "602401143452.dkr.ecr.eu-west-1.amazonaws.com/amazon/aws-network-policy-agent:v1.2.4";
  function vpcCni(word: string) {
    return workload("", {
      name: "aws-node",
      containers: [
        { name: "aws-node", image: "602401143452.dkr.ecr.eu-west-1.amazonaws.com/amazon-k8s-cni:v1.20.1", words: [] },
        { name: "aws-eks-nodeagent", image: AGENT, words: [word] },
      ],
    });
  }

  it.each([
    ["Calico", workload("quay.io/calico/node:v3.30.3"), "passed"],
    ["Calico of RKE2", workload("rancher/hardened-calico:v3.30.0-build1"), "passed"],
    ["Cilium", workload("quay.io/cilium/cilium:v1.18.0@sha256:abc"), "passed"],
    ["kube-router", workload("docker.io/cloudnativelabs/kube-router", { words: ["--run-firewall=true"] }), "passed"],
    [
      "kube-router that only routes",
      workload("cloudnativelabs/kube-router:v2", { words: ["--run-firewall=false"] }),
      "failed",
    ],
    ["kind 0.24", workload("docker.io/kindest/kindnetd:v20240813-c6f155d6"), "passed"],
    ["kind 0.23", workload("docker.io/kindest/kindnetd:v20240513-cd2ac642"), "failed"],
    ["kindnet of no date", workload("ghcr.io/aojea/kindnetd:stable"), "unknown"],
    ["EKS, switched on", vpcCni("--enable-network-policy=true"), "passed"],
    ["EKS as it comes", vpcCni("--enable-network-policy=false"), "failed"],
    ["Flannel alone", workload("docker.io/flannel/flannel:v0.27.0"), "failed"],
    ["OKE as it comes", workload("fra.ocir.io/x/oke-public-vcn-native-ip-cni-plugin@sha256:abc"), "failed"],
    ["something else", workload("example.com/node-exporter:v1"), "unknown"],
  ])("%s", (_, daemonSet, status) => {
    const result = only(networkPolicies, facts({ daemonSets: known([daemonSet]) }));
    expect(gist(result)).toEqual([status, expect.any(String), status !== "passed"]);
  });

  it.each([
    ['["server"]', "passed"],
    ['["server","--disable","traefik"]', "passed"],
    ['["server","--disable-network-policy"]', "failed"],
    ['["server","--disable-network-policy","true"]', "failed"],
    ['["server","--disable-network-policy=true"]', "failed"],
    ['["server","--disable-network-policy","false"]', "passed"],
    ['["server","--disable-network-policy=false"]', "passed"],
    ['["agent"]', "unknown"],
  ])("k3s started with %s", (words, status) => {
    const k3s = facts({
      version: known("v1.34.1+k3s1"),
      daemonSets: known([]),
      nodes: known([node("one", { annotations: { "k3s.io/node-args": words } })]),
    });
    expect(only(networkPolicies, k3s).status).toBe(status);
  });

  it("is the platform's to bring where it installs Calico", () => {
    const releases = [{ chart: "tigera-operator", release: "calico", namespace: "tigera-operator" }];
    const found = facts({ daemonSets: known([workload("docker.io/flannel/flannel:v0.27.0")]) });
    expect(only(networkPolicies, found, needs({ releases })).status).toBe("passed");
  });
});

describe("cluster DNS", () => {
  it.each([
    [
      "ready",
      [
        { name: "a", ready: true },
        { name: "b", ready: false },
      ],
      "passed",
    ],
    ["not ready", [{ name: "a", ready: false }], "failed"],
    ["not there", [], "failed"],
  ] as const)("%s", (_, pods, status) => {
    expect(only(dns, facts({ dnsPods: known(pods) })).status).toBe(status);
  });
});

describe("addresses of pods", () => {
  it.each([
    [["10.42.0.3"], "passed"],
    [["10.42.0.3", "fd00:42::3"], "passed"],
    [["fd00:42::3"], "failed"],
    [["fd00:42::3", "10.42.0.3"], "failed"],
    [undefined, "unknown"],
  ] as const)("%j: %s", (ips, status) => {
    const pods = [{ name: "coredns-1", ready: true, ...(ips && { ips }) }];
    expect(only(podAddresses, facts({ dnsPods: known(pods) })).status).toBe(status);
  });
});

describe("storage classes", () => {
  const disks = { name: "disks", provisioner: "disks.example.com", parameters: {}, grows: true, isDefault: false };

  it("of the environment's own making are not looked for; those that it names are", () => {
    const wanted = needs({ needsDefaultClass: false });
    expect(storageClasses(facts({ storageClasses: known([]) }), wanted)).toEqual([]);
    const named = needs({ needsDefaultClass: false, storageClasses: ["fast"] });
    expect(gist(only(storageClasses, facts({ storageClasses: known([disks]) }), named))).toEqual([
      "failed",
      "there are disks",
      true,
    ]);
  });

  it("need a default where none is named", () => {
    const result = only(storageClasses, facts({ storageClasses: known([disks]) }));
    expect(result.found).toBe("none of disks is the default");
    expect(result.remedies.join()).toContain("storageClass: disks");
  });

  it.each([
    ["blockvolume.csi.oraclecloud.com", {}, "passed"],
    ["ebs.csi.aws.com", { encrypted: "true" }, "passed"],
    ["ebs.csi.aws.com", {}, "unknown"],
    ["rancher.io/local-path", {}, "unknown"],
  ])("in production, %s with %o", (provisioner, parameters, status) => {
    const found = facts({ storageClasses: known([{ ...disks, provisioner, parameters, isDefault: true }]) });
    expect(only(storageClasses, found, needs({ stage: "production" })).status).toBe(status);
    expect(only(storageClasses, found).status).toBe("passed");
  });

  it("that cannot grow deserve a look", () => {
    const found = facts({ storageClasses: known([{ ...disks, grows: false, isDefault: true }]) });
    expect(only(storageClasses, found).status).toBe("warning");
  });
});

it("a RuntimeClass that pods name must be there", () => {
  const wanted = needs({ runtimeClasses: ["nvidia"] });
  expect(only(runtimeClasses, facts({ runtimeClasses: known([named("nvidia")]) }), wanted).status).toBe("passed");
  expect(gist(only(runtimeClasses, facts({ runtimeClasses: known([named("runc")]) }), wanted))).toEqual([
    "failed",
    "there are runc",
    true,
  ]);
});

describe("a mesh", () => {
  const releases = [{ chart: "istio-cni", release: "istio-cni", namespace: "istio-system" }];

  it.each([
    ["quay.io/cilium/cilium:v1.18.1", "warning"],
    ["quay.io/calico/node:v3.30.3", "passed"],
    ["quay.io/cilium/cilium-envoy:v1.34", "passed"],
  ])("beside %s: %s", (image, status) => {
    const found = facts({ daemonSets: known([workload(image)]) });
    expect(only(mesh, found, needs({ releases })).status).toBe(status);
    expect(mesh(found, needs())).toEqual([]);
  });
});

const BY_HELM = { "app.kubernetes.io/managed-by": "Helm" };

describe("controllers of others", () => {
  const foreign = workload("docker.io/envoyproxy/gateway:v1.5.0", {
    name: "envoy-gateway",
    namespace: "envoy-gateway-system",
    annotations: { "meta.helm.sh/release-name": "eg" },
  });
  const statuses = (found: Parameters<typeof controllers>[0], wanted = needs()) =>
    Object.fromEntries(controllers(found, wanted).map((result) => [result.title, result.status]));

  it("are told from the platform's by its namespaces' labels", () => {
    const deployments = known([foreign]);
    expect(statuses(facts({ deployments }))).toEqual({ "cert-manager": "passed", "Envoy Gateway": "failed" });
    const ours = facts({ deployments, ownNamespaces: known([named("envoy-gateway-system")]) });
    expect(statuses(ours)).toEqual({ "cert-manager": "passed", "Envoy Gateway": "passed" });
    const red = controllers(facts({ deployments }), needs()).find(({ title }) => title === "Envoy Gateway");
    expect(red?.remedies).toContain("remove it: helm uninstall eg -n envoy-gateway-system");
  });

  it("that brought CRDs which Helm would not take over stop the installation; leftovers of Helm's own deserve a look", () => {
    const crd = "certificates.cert-manager.io";
    const definitions = (annotations: Record<string, string>, labels: Record<string, string> = BY_HELM) =>
      facts({ definitions: known([{ ...named(crd, annotations), labels }]) });
    expect(statuses(definitions({}))["cert-manager"]).toBe("failed");
    const own = { "meta.helm.sh/release-name": "cert-manager", "meta.helm.sh/release-namespace": "cert-manager" };
    expect(statuses(definitions(own))["cert-manager"]).toBe("passed");
    expect(statuses(definitions(own, {}))["cert-manager"]).toBe("failed");
    expect(statuses(definitions({ ...own, "meta.helm.sh/release-namespace": "certs" }))["cert-manager"]).toBe("failed");
    const left = facts({ definitions: known([named("envoyproxies.gateway.envoyproxy.io")]) });
    expect(statuses(left)["Envoy Gateway"]).toBe("warning");
    // A group whose name ends like another's.
    const other = facts({ definitions: known([named("things.x-cert-manager.io")]) });
    expect(statuses(other)["cert-manager"]).toBe("passed");
  });

  it("have a mesh of their own: two would both take pods in", () => {
    const releases = [
      { chart: "istio-base", release: "istio-base", namespace: "istio-system" },
      { chart: "istio-istiod", release: "istiod", namespace: "istio-system" },
    ];
    const wanted = needs({ releases });
    const deployments = known([
      workload("docker.io/istio/pilot:1.28.0-distroless", { name: "istiod", namespace: "istio-system" }),
    ]);
    expect(statuses(facts({ deployments }), wanted)).toEqual({ Istio: "failed" });
    const ours = facts({ deployments, ownNamespaces: known([named("istio-system")]) });
    expect(statuses(ours, wanted)).toEqual({ Istio: "passed" });
    const left = facts({ definitions: known([named("peerauthentications.security.istio.io")]) });
    expect(statuses(left, wanted)).toEqual({ Istio: "failed" });
    expect(statuses(facts({ deployments }))).not.toHaveProperty("Istio");
  });

  it("may have left CRDs of a chart that Argo CD applies, and other projects of Argo have kinds of their own", () => {
    const releases = [
      { chart: "cert-manager", release: "cert-manager", namespace: "cert-manager", byArgoCd: true },
      { chart: "argo-cd", release: "argocd", namespace: "argocd" },
    ];
    const found = (name: string) => statuses(facts({ definitions: known([named(name)]) }), needs({ releases }));
    expect(found("certificates.cert-manager.io")["cert-manager"]).toBe("passed");
    expect(found("applications.argoproj.io")["Argo CD"]).toBe("failed");
    expect(found("workflows.argoproj.io")["Argo CD"]).toBe("passed");
    const deployments = known([
      workload("quay.io/argoproj/argocd:v3.2.0", { name: "argocd-server", namespace: "gitops" }),
    ]);
    expect(statuses(facts({ deployments }), needs({ releases }))["Argo CD"]).toBe("failed");
  });

  it.each([
    ["cert-manager", "cert-manager", "quay.io/jetstack/cert-manager-controller:v1.20.0", "certManager"],
    [
      "kube-prometheus-stack",
      "Prometheus Operator",
      "quay.io/prometheus-operator/prometheus-operator:v0.88.0",
      "prometheus",
    ],
  ])(
    "that the environment uses in place of %s must be there, and else may stay by a setting",
    (chart, title, image, key) => {
      const wanted = needs({ present: [chart], releases: [] });
      expect(controllers(facts(), wanted)).toMatchObject([
        { title, status: "failed", remedies: [expect.stringContaining(`remove ${key}: present`)] },
      ]);
      const deployments = known([workload(image, { namespace: "theirs" })]);
      expect(statuses(facts({ deployments }), wanted)).toEqual({ [title]: "passed" });
      const release = { chart, release: "own", namespace: "own" };
      const foreign = only(controllers, facts({ deployments }), needs({ releases: [release] }));
      expect([foreign.status, foreign.remedies[0]]).toEqual([
        "failed",
        expect.stringContaining(`write ${key}: present`),
      ]);
    },
  );

  it("are known of an environment by its settings", async () => {
    const run = await changedRun("dev", {
      cluster: { kind: "local", certManager: "present" },
      observability: { prometheus: "present", operator: { namespace: "monitoring", labels: { release: "x" } } },
    });
    expect(needsOf(run).present).toEqual(["cert-manager", "kube-prometheus-stack"]);
  });

  it.each([
    [{}, "warning"],
    [{ "gateway.networking.k8s.io/bundle-version": "v1.4.0" }, "warning"],
    [{ "gateway.networking.k8s.io/bundle-version": "v1.6.1" }, "passed"],
  ])("may have brought a Gateway API with %o", (annotations, status) => {
    const definitions = known([named("gateways.gateway.networking.k8s.io", annotations)]);
    expect(only(gatewayApi, facts({ definitions })).status).toBe(status);
  });
});

describe("rights", () => {
  const all = WANTED_RIGHTS.map((right) => ({ ...right, allowed: true }));
  const judge = (isAllowed: (right: (typeof all)[number]) => boolean) =>
    only(rights, facts({ rights: known(all.map((right) => ({ ...right, allowed: isAllowed(right) }))) }));

  it("of an administrator are enough, those of a reader are not", () => {
    expect(judge(() => true).found).toBe("everything");
    const reader = judge(() => false);
    expect(reader.status).toBe("failed");
    expect(reader.found).toMatch(/^no right to create, delete namespaces, .* and \d+ more$/);
  });

  it("that are one short are told by name", () => {
    const result = judge(({ verb, resource }) => verb !== "*" && !(verb === "create" && resource === "clusterroles"));
    expect([result.status, result.found]).toEqual(["failed", "no right to create clusterroles"]);
  });

  it("without bind and escalate deserve a look: roles with more rights are refused", () => {
    expect(judge(({ verb }) => verb === "create" || verb === "delete").status).toBe("warning");
    expect(judge(({ verb }) => verb === "create" || verb === "delete" || verb === "bind").status).toBe("passed");
  });
});

describe("external metrics", () => {
  const served = (namespace: string, available = true) =>
    facts({
      apiServices: known([
        { name: "v1.apps", service: undefined, available: true },
        { name: "v1beta1.external.metrics.k8s.io", service: { namespace, name: "metrics" }, available },
      ]),
    });

  it("are asked for where a model is scaled", () => {
    expect(externalMetrics(served("elsewhere"), needs())).toEqual([]);
  });

  it.each([
    ["keda", facts(), "passed", "not served yet"],
    ["keda", served("keda"), "passed", "the platform's own, keda/metrics"],
    ["keda", served("monitoring"), "failed", "monitoring/metrics serves them, not the platform's KEDA"],
    ["hpa", facts(), "failed", "not served: no replica would ever be added"],
    ["hpa", served("monitoring"), "passed", "monitoring/metrics"],
    ["hpa", served("monitoring", false), "warning", "monitoring/metrics does not answer now"],
    ["hpa", facts({ apiServices: FORBIDDEN }), "unknown", `not known: ${FORBIDDEN.reason}`],
  ] as const)("for %s", (autoscaler, found, status, text) => {
    expect(externalMetrics(found, needs({ autoscaler }))).toEqual([
      expect.objectContaining({ check: "external-metrics", status, found: text }),
    ]);
  });
});
