import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { auditPolicy } from "../../../../components/cluster/k3s/audit-policy";
import { k3sFiles } from "../../../../components/cluster/k3s/k3s-config";
import { kubeletConfig } from "../../../../components/cluster/k3s/kubelet";
import { admissionConfig, exemptNamespaces } from "../../../../components/cluster/k3s/pod-security";
import { registriesFile } from "../../../../components/cluster/k3s/registries";
import type { K3sSettings } from "../../../../components/cluster/k3s/settings";
import { POD_SECURITY_EXCEPTIONS, podSecurityLevel } from "../../../../names/pod-security";
import { nodeAllocatable } from "../../../../planner/pod-resources";
import { programRun } from "../../../stacks/run";
import { MACHINE, settings } from "./fixture";

const contentOf = async (path: string, changes: Partial<K3sSettings> = {}) => {
  const file = k3sFiles(settings(changes)).find((each) => each.path === path);
  const content = file && (await new Promise<string>((done) => pulumi.output(file.content).apply(done)));
  return { mode: file?.mode, content };
};

describe("the files of k3s", () => {
  it("are all there before it starts, and only root reads what is k3s' own", () => {
    expect(k3sFiles(settings()).map(({ path, mode }) => `${mode} ${path}`)).toEqual([
      "0644 /etc/sysctl.d/90-kubelet.conf",
      "0644 /etc/systemd/logind.conf.d/90-inference-stacks.conf",
      "0600 /etc/rancher/k3s/config.yaml",
      "0600 /var/lib/rancher/k3s/server/psa.yaml",
      "0600 /var/lib/rancher/k3s/server/audit.yaml",
      "0600 /var/lib/rancher/k3s/agent/etc/kubelet.conf.d/50-inference-stacks.conf",
    ]);
  });

  it("set it up as the CIS guide has it", async () => {
    const { content } = await contentOf("/etc/rancher/k3s/config.yaml", {
      labels: { "inference-stacks/pool": "workstation" },
      serverNames: ["10.8.0.5", "gpu-box.example.internal"],
    });
    expect(parse(content ?? "")).toEqual({
      "node-name": "workstation",
      "write-kubeconfig-mode": "0600",
      "tls-san": ["gpu-box.example.internal", "10.8.0.5"],
      "secrets-encryption": true,
      "secrets-encryption-provider": "secretbox",
      "protect-kernel-defaults": true,
      disable: ["traefik"],
      "node-label": ["inference-stacks/pool=workstation"],
      "kube-apiserver-arg": [
        "enable-admission-plugins=NodeRestriction,EventRateLimit",
        "admission-control-config-file=/var/lib/rancher/k3s/server/psa.yaml",
        "audit-policy-file=/var/lib/rancher/k3s/server/audit.yaml",
        "audit-log-path=/var/lib/rancher/k3s/server/logs/audit.log",
        "audit-log-maxage=30",
        "audit-log-maxbackup=10",
        "audit-log-maxsize=100",
        "service-account-extend-token-expiration=false",
      ],
      "kube-controller-manager-arg": ["terminated-pod-gc-threshold=100"],
    });
  });

  it("name every file that the API server is told to read", async () => {
    const { content } = await contentOf("/etc/rancher/k3s/config.yaml");
    const args: string[] = parse(content ?? "")["kube-apiserver-arg"];
    const read = args.flatMap((arg) => /^[a-z-]+-file=(.*)$/.exec(arg)?.[1] ?? []);
    const written = k3sFiles(settings()).map(({ path }) => path);
    expect(read).toHaveLength(2);
    expect(read.filter((path) => !written.includes(path))).toEqual([]);
  });

  it("give the kernel what the kubelet insists on", async () => {
    const { content } = await contentOf("/etc/sysctl.d/90-kubelet.conf");
    expect(content).toBe("vm.panic_on_oom=0\nvm.overcommit_memory=1\nkernel.panic=10\nkernel.panic_on_oops=1\n");
  });

  it("let a shutdown wait for as long as the kubelet may take", async () => {
    const { content } = await contentOf("/etc/systemd/logind.conf.d/90-inference-stacks.conf");
    const kubelet = kubeletConfig(settings().kubelet) as { shutdownGracePeriod: string };
    expect(content).toBe("[Login]\nInhibitDelayMaxSec=120\n");
    expect(kubelet.shutdownGracePeriod).toBe("120s");
  });
});

describe("the kubelet of a machine", () => {
  const shape = MACHINE;

  it("follows the plan's policy of memory nodes, and gives nobody CPUs of their own where the plan does not", () => {
    expect(kubeletConfig({ pool: { shape, numa: "single-numa-node" }, leavingSeconds: 60 })).toMatchObject({
      cpuManagerPolicy: "static",
      topologyManagerPolicy: "single-numa-node",
      topologyManagerScope: "pod",
    });
    expect(Object.keys(kubeletConfig({ pool: { shape }, leavingSeconds: 60 }))).not.toContain("cpuManagerPolicy");
  });

  it("leaves pods what plans count with, of what a kernel counts of the machine's memory", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 256 }), fc.integer({ min: 16, max: 2048 }), (vcpus, memoryGiB) => {
        const machine = { ...shape, cpu: { ...shape.cpu, vcpus }, memoryGiB };
        const { systemReserved, evictionHard } = kubeletConfig({ pool: { shape: machine }, leavingSeconds: 0 }) as {
          systemReserved: { cpu: string; memory: string };
          evictionHard: Record<string, string>;
        };
        const kept =
          (Number.parseInt(systemReserved.memory, 10) + Number.parseInt(evictionHard["memory.available"] ?? "", 10)) /
          1024;
        const planned = nodeAllocatable(machine);
        // 2.5 % are gone before Linux counts.
        const left = memoryGiB * 0.975 - kept;
        expect(left).toBeGreaterThanOrEqual(planned.memoryGiB - 1e-9);
        expect(left).toBeLessThan(planned.memoryGiB + 0.002);
        expect(vcpus - Number.parseInt(systemReserved.cpu, 10) / 1000).toBeCloseTo(planned.cpu, 2);
      }),
    );
  });

  it("ends pods before the kernel does, with any disk or memory that runs out", () => {
    const { evictionHard } = kubeletConfig({ pool: { shape }, leavingSeconds: 0 }) as { evictionHard: object };
    expect(Object.keys(evictionHard).sort()).toEqual([
      "imagefs.available",
      "imagefs.inodesFree",
      "memory.available",
      "nodefs.available",
      "nodefs.inodesFree",
    ]);
  });
});

describe("Pod Security on the machine", () => {
  const everyException = ["beta9", "calico-system", "gpu-metrics", "gpu-software", "istio-system", "node-metrics"];

  it("exempts what the one list of exceptions makes privileged, and k3s' own namespace", () => {
    const named = fc.constantFrom(...everyException, "observability", "model-chat", "inference-gateway", "kube-public");
    fc.assert(
      fc.property(fc.array(named), (namespaces) => {
        const exempt = exemptNamespaces(namespaces);
        for (const name of namespaces) {
          expect(exempt.includes(name)).toBe(podSecurityLevel({ name, labels: {} }) === "privileged");
        }
        expect(exempt.filter((name) => !namespaces.includes(name) && name !== "kube-system")).toEqual([]);
        expect(exempt).toContain("kube-system");
      }),
    );
  });

  it("knows namespaces that the list excepts, so that the property above is of something", () => {
    expect(exemptNamespaces(everyException)).toEqual([...everyException, "kube-system"].sort());
  });

  it("exempts none that the list makes baseline: their labels hold them to that", () => {
    const baseline = ["cattle-fleet-system", "cattle-system"];
    expect(baseline.map((name) => podSecurityLevel({ name, labels: {} }))).toEqual(["baseline", "baseline"]);
    expect(POD_SECURITY_EXCEPTIONS.filter(({ level }) => level === "baseline")).toHaveLength(baseline.length);
    expect(exemptNamespaces(baseline)).toEqual(["kube-system"]);
  });

  it.each(["edge-nvidia", "edge-radeon"] as const)(
    "exempts of %s exactly what its labels make privileged",
    async (name) => {
      const { resources } = await programRun(name);
      const namespaces = resources
        .filter(({ type }) => type === "kubernetes:core/v1:Namespace")
        .map(({ inputs }) => inputs.metadata as { name: string; labels: Record<string, string> });
      const privileged = namespaces
        .filter(({ labels }) => labels["pod-security.kubernetes.io/enforce"] === "privileged")
        .map((metadata) => metadata.name);
      const script = resources.find(({ name: logical }) => logical === "cluster-k3s")?.inputs.stdin as string;
      const line = script
        .split("\n")
        .find((each) => each.startsWith("file 0600 /var/lib/rancher/k3s/server/psa.yaml "));
      const { plugins } = parse(Buffer.from(line?.split(" ")[3] ?? "", "base64").toString());
      expect(plugins[0].configuration.exemptions).toEqual({
        usernames: [],
        runtimeClasses: [],
        namespaces: [...privileged, "kube-system"].sort(),
      });
      expect(privileged).toContain("gpu-software");
    },
  );

  it("is restricted wherever a namespace says nothing, and limits events", () => {
    const { plugins } = admissionConfig([]) as { plugins: { name: string; configuration: Record<string, unknown> }[] };
    expect(plugins.map(({ name }) => name)).toEqual(["PodSecurity", "EventRateLimit"]);
    expect(plugins[0]?.configuration.defaults).toEqual({
      enforce: "restricted",
      "enforce-version": "latest",
      audit: "restricted",
      "audit-version": "latest",
      warn: "restricted",
      "warn-version": "latest",
    });
    expect(plugins[1]?.configuration.limits).not.toEqual([]);
  });
});

describe("the audit log", () => {
  it("has the content of no object but rights", () => {
    const { rules } = auditPolicy() as { rules: { level: string; resources?: { group: string }[] }[] };
    const withContent = rules.filter(({ level }) => level.startsWith("Request"));
    expect(withContent.flatMap(({ resources }) => resources?.map(({ group }) => group))).toEqual([
      "rbac.authorization.k8s.io",
    ]);
    expect(rules.at(-1)).toEqual({ level: "Metadata" });
  });
});

describe("where k3s' own images come from", () => {
  const file = async (images: Parameters<typeof registriesFile>[0]) => {
    const content = registriesFile(images);
    return content && parse(await new Promise<string>((done) => content.apply(done)));
  };

  it("is their own registry where the environment has no mirror of it", () => {
    expect(registriesFile({})).toBeUndefined();
    expect(registriesFile({ registries: { "quay.io": "registry.example.com/quay" } })).toBeUndefined();
  });

  it("is the mirror, under their whole names, or the proxy of their registry", async () => {
    expect(await file({ mirror: "registry.example.com:5000/mirror" })).toEqual({
      mirrors: {
        "docker.io": {
          endpoint: ["https://registry.example.com:5000"],
          rewrite: { "^rancher/(.*)": "mirror/docker.io/rancher/$1" },
        },
      },
    });
    expect(await file({ mirror: "m.example.com/m", registries: { "docker.io": "p.example.com/hub" } })).toMatchObject({
      mirrors: { "docker.io": { endpoint: ["https://p.example.com"], rewrite: { "^rancher/(.*)": "hub/rancher/$1" } } },
    });
  });

  it.each([
    [{ auths: { "registry.example.com": { auth: "dTpw" } } }, { auth: "dTpw" }],
    [
      { auths: { "https://registry.example.com/v2/": { username: "u", password: "p" } } },
      { username: "u", password: "p" },
    ],
  ])("has that registry's credentials and no other's: %j", async (config, auth) => {
    const credentials = pulumi.output(
      JSON.stringify({ auths: { ...config.auths, "other.example.com": { auth: "bm8=" } } }),
    );
    const { configs } = await file({ mirror: "registry.example.com/mirror", credentials });
    expect(configs).toEqual({ "registry.example.com": { auth } });
  });

  it("is told to root alone", async () => {
    const { mode } = await contentOf("/etc/rancher/k3s/registries.yaml", {
      images: { mirror: "registry.example.com/m" },
    });
    expect(mode).toBe("0600");
  });
});
