import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { image } from "../../../catalog/images";
import { groupControllerValues } from "../../../components/serving/group-controller";
import { asMember } from "../../../components/serving/group-member";
import { podSecurityLevel } from "../../../names/pod-security";
import type { NodeLink } from "../../../planner/types";
import { crdProblems } from "../../harness/crds";
import { groupPlan, modelPlan } from "../../harness/plans";
import { sleepingPlan } from "../autoscaling/scaled";
import { type Container, container, deployServing, literals, type PodSpec, preStop, specOf } from "./fixture";

const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const HOST_NETWORK = "inference-stacks.io/host-network";
const QUOTA = "serving-llama-405b-space-ns-quota";

interface Template {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly spec: PodSpec;
}

async function deployed(overrides: Parameters<typeof deployServing>[1] = {}, model = groupPlan()) {
  const { deployment, serving } = await deployServing([model], overrides);
  const [group] = deployment.ofKind("LeaderWorkerSet");
  if (!group) {
    throw new Error("no LeaderWorkerSet");
  }
  const spec = specOf(group) as { leaderWorkerTemplate: { leaderTemplate: Template; workerTemplate: Template } };
  const { leaderTemplate: leader, workerTemplate: worker } = spec.leaderWorkerTemplate;
  return { deployment, serving, group, spec, leader, worker };
}

/** The command that a container of a group becomes. */
function asStarted({ command }: Pick<Container, "command">): readonly string[] {
  const member = asMember([]);
  expect(command?.slice(0, member.length)).toEqual(member);
  return command?.slice(member.length) ?? [];
}

describe("VllmGroup", () => {
  it("renders a resource that the CRD accepts", async () => {
    const { group } = await deployed();
    expect(crdProblems(group.inputs)).toEqual([]);
    const broken = { ...group.inputs, spec: { ...specOf(group), startupPolicy: "LeaderFirst" } };
    expect(crdProblems(broken)).toHaveLength(1);
  });

  it("forms groups as large as the replica, made anew as a whole", async () => {
    const { spec } = await deployed();
    expect(spec).toMatchObject({
      replicas: 1,
      startupPolicy: "LeaderCreated",
      rolloutStrategy: { type: "RollingUpdate", rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0 } },
      leaderWorkerTemplate: { size: 2, restartPolicy: "RecreateGroupAfterStart" },
    });
  });

  it("leaves its groups to whatever scales them, after the first that shows that the model answers", async () => {
    const options = async (changes: Parameters<typeof groupPlan>[0]) => {
      const { group } = await deployed({}, groupPlan(changes));
      return { replicas: specOf(group).replicas, ignoreChanges: group.options.ignoreChanges };
    };
    expect(await options({ minReplicas: 2, maxReplicas: 2 })).toEqual({ replicas: 2, ignoreChanges: [] });
    expect(await options({ minReplicas: 0, maxReplicas: 2, scaling: sleepingPlan({ max: 2 }) })).toEqual({
      replicas: 1,
      ignoreChanges: ["spec.replicas"],
    });
  });

  it("gives leader and workers the flags and variables of the user", async () => {
    const chatTemplate = { file: "chat.jinja", text: "{{ messages }}" };
    const model = groupPlan({ chatTemplate, args: { "enable-expert-parallel": true }, env: { NCCL_DEBUG: "INFO" } });
    const { leader, worker, group } = await deployed({}, model);
    for (const { spec } of [leader, worker]) {
      const engine = container(spec, "vllm");
      expect(engine.args).toContain("--enable-expert-parallel");
      expect(engine.args).toContain("--chat-template=/chat-template/template.jinja");
      expect(engine.volumeMounts).toContainEqual(expect.objectContaining({ name: "chat-template" }));
      expect(literals(engine)).toMatchObject({ NCCL_DEBUG: "INFO" });
    }
    expect(crdProblems(group.inputs)).toEqual([]);
  });

  it("starts vLLM's own multi-node mode on leader and workers", async () => {
    const { leader, worker } = await deployed();
    for (const { spec } of [leader, worker]) {
      const engine = container(spec, "vllm");
      expect(asStarted(engine)).toEqual(["vllm", "serve"]);
      expect(engine.args).toEqual(
        expect.arrayContaining([
          "--tensor-parallel-size=8",
          "--pipeline-parallel-size=2",
          "--nnodes=$(LWS_GROUP_SIZE)",
          "--node-rank=$(LWS_WORKER_INDEX)",
          "--master-addr=$(LWS_LEADER_ADDRESS)",
        ]),
      );
      expect(engine.env).toContainEqual({
        name: "VLLM_HOST_IP",
        valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
      });
      expect(engine.resources.limits["nvidia.com/gpu"]).toBe("8");
    }
    expect(container(leader.spec, "vllm").args).not.toContain("--headless");
    expect(container(worker.spec, "vllm").args).toContain("--headless");
  });

  it("asks the members of a group for each other, within a minute, and the leader for its steps too", async () => {
    const { leader, worker } = await deployed();
    const [head, member] = [container(leader.spec, "vllm"), container(worker.spec, "vllm")];
    const httpGet = { path: "/group", port: 29502 };
    const often = { periodSeconds: 15, failureThreshold: 3, terminationGracePeriodSeconds: 30 };
    expect(member.startupProbe).toEqual({
      httpGet,
      timeoutSeconds: 10,
      terminationGracePeriodSeconds: 30,
      periodSeconds: 10,
      failureThreshold: 300,
    });
    expect(member.livenessProbe).toEqual({ httpGet, timeoutSeconds: 10, ...often });
    expect(member.readinessProbe).toBeUndefined();
    const rest = ["8000", "/tmp/engine-alive.json", "270", "29502/group"];
    expect(head.livenessProbe).toEqual({
      exec: { command: ["python3", "-c", expect.stringContaining("/health"), ...rest] },
      timeoutSeconds: 20,
      ...often,
    });
  });

  it("waits for requests while the group is whole, and lets the engine wait for none: those of a broken group never end", async () => {
    const { leader, worker } = await deployed();
    const [head, member] = [container(leader.spec, "vllm"), container(worker.spec, "vllm")];
    expect(preStop(head)).toMatch(/29502.*\/group.*&& \{\n.*vllm:num_requests_running/s);
    expect(preStop(member)).toMatch(/29502.*\/group/);
    expect(head.args?.join(" ")).not.toContain("shutdown-timeout");
  });

  it("asks the leader for its workers alone where its release reports no steps", async () => {
    const settings = { engineVersion: "0.10.1", engineSettings: { distributedExecutor: "ray" as const } };
    const { leader } = await deployed({}, groupPlan(settings));
    expect(container(leader.spec, "vllm").livenessProbe).toMatchObject({
      exec: { command: expect.arrayContaining(["inf", "29502/group"]) },
    });
  });

  describe("with Ray", () => {
    const onRay = () => groupPlan({ engineVersion: "0.17.1", engineSettings: { distributedExecutor: "ray" } });

    it("starts Ray's head and the engine on the leader, and joins it from the workers, on the image that has Ray", async () => {
      const { leader, worker, group } = await deployed({}, onRay());
      const [head, member] = [container(leader.spec, "vllm"), container(worker.spec, "vllm")];
      expect([head.image, member.image]).toEqual(Array(2).fill(image("vllm-cuda-ray")));
      expect(asStarted(head).slice(0, 2)).toEqual(["/bin/bash", "-ec"]);
      expect(asStarted(head)[2]).toMatch(/ray start .*--head .*until .*LWS_GROUP_SIZE.*exec vllm serve "\$@"/s);
      expect(head.args).toEqual(
        expect.arrayContaining([
          "--tensor-parallel-size=8",
          "--pipeline-parallel-size=2",
          "--distributed-executor-backend=ray",
        ]),
      );
      expect(head.args?.join(" ")).not.toMatch(/nnodes|node-rank|master-addr|headless|shutdown-timeout/);
      expect(asStarted(member)[2]).toMatch(/exec ray start .*--address="\$LWS_LEADER_ADDRESS:\$RAY_PORT" --block/);
      expect(member.args ?? []).toEqual([]);
      expect(literals(member)).toMatchObject({ RAY_PORT: "6379", POD_GPUS: "8" });
      expect(crdProblems(group.inputs)).toEqual([]);
    });

    it("watches its pods as those of any group", async () => {
      const { leader, worker } = await deployed({}, onRay());
      expect(container(worker.spec, "vllm").livenessProbe).toMatchObject({ httpGet: { path: "/group" } });
      expect(preStop(container(leader.spec, "vllm"))).toContain("vllm:num_requests_running|vllm:num_requests_waiting");
    });
  });

  it("sends requests to leaders only", async () => {
    const { deployment, serving, leader, worker } = await deployed();
    const service = deployment.resource("kubernetes:core/v1:Service", "serving-llama-405b-service");
    const { selector, clusterIP } = specOf(service) as { selector: Record<string, string>; clusterIP: string };
    const [endpoint] = serving.endpoints;
    expect(selector).toEqual(endpoint?.podLabels);
    expect(clusterIP).toBe("None");
    expect(service.inputs.metadata).toHaveProperty("name", endpoint?.service);
    expect(leader.metadata.labels).toMatchObject(selector);
    expect(worker.metadata.labels).not.toMatchObject(selector);
  });

  it("leaves the group's own name to the Service that the controller makes: through it workers find their leader", async () => {
    const { deployment, group } = await deployed();
    const { name } = group.inputs.metadata as { name: string };
    const services = deployment.ofType("kubernetes:core/v1:Service").map((s) => s.inputs.metadata as { name: string });
    expect(services.map((s) => s.name)).not.toContain(name);
  });

  it("budgets disruption for the pods of all groups together", async () => {
    const { deployment, leader, worker } = await deployed();
    const budget = deployment.resource("kubernetes:policy/v1:PodDisruptionBudget", "serving-llama-405b-budget");
    const { maxUnavailable, selector } = specOf(budget) as {
      maxUnavailable: number;
      selector: { matchLabels: Record<string, string> };
    };
    expect(maxUnavailable).toBe(1);
    expect(leader.metadata.labels).toMatchObject(selector.matchLabels);
    expect(worker.metadata.labels).toMatchObject(selector.matchLabels);
  });

  describe("over RDMA", () => {
    const environment = { NCCL_NET: "IB", NCCL_IB_TC: "41" };
    const networks = Array.from({ length: 16 }, () => "default/rdma-vf");
    const overRdma = (changes: Partial<NodeLink> = {}) => {
      const { resources } = groupPlan();
      return groupPlan({
        nodeLink: { transport: "roce", gbps: 3200, hostNetwork: false, networks, environment, ...changes },
        resources: { ...resources, extended: { "nvidia.com/rdma-vf": 16 } },
      });
    };

    it("hands NCCL its variables, and rolls the pods when they change", async () => {
      const hashOf = async (tc: string) => {
        const changed = { ...environment, NCCL_IB_TC: tc };
        const { deployment, leader } = await deployed({}, overRdma({ environment: changed }));
        expect(deployment.resource("kubernetes:core/v1:ConfigMap", "serving-llama-405b-nccl").inputs.data).toEqual(
          changed,
        );
        expect(container(leader.spec, "vllm").envFrom).toEqual([{ configMapRef: { name: "nccl" } }]);
        return leader.metadata.annotations["inference-stacks.io/config-hash"];
      };
      expect(await hashOf("41")).not.toBe(await hashOf("42"));
    });

    it("gives the engines of leader and workers all devices and their networks, and their namespace room for them", async () => {
      const { deployment, leader, worker, group } = await deployed({}, overRdma());
      for (const { metadata, spec } of [leader, worker]) {
        expect(metadata.annotations[NETWORKS]).toBe(networks.join(","));
        const { requests, limits } = container(spec, "vllm").resources;
        expect(limits).toMatchObject({ "nvidia.com/gpu": "8", "nvidia.com/rdma-vf": "16" });
        expect(requests).toEqual(limits);
        expect(container(spec, "fetch-weights").resources.limits).not.toHaveProperty("nvidia.com/rdma-vf");
      }
      // One group, and one that is being replaced: two pods each.
      expect(specOf(deployment.resource("kubernetes:core/v1:ResourceQuota", QUOTA))).toMatchObject({
        hard: { "requests.nvidia.com/gpu": "32", "requests.nvidia.com/rdma-vf": "64" },
      });
      expect(crdProblems(group.inputs)).toEqual([]);
    });

    it("opens nothing for it: no capability, no network or path of the host, a restricted namespace", async () => {
      const { deployment, leader, worker } = await deployed({}, overRdma());
      const plain = await deployed();
      for (const [rdma, tcp] of [
        [leader, plain.leader],
        [worker, plain.worker],
      ] as const) {
        expect(rdma.spec).not.toHaveProperty("hostNetwork");
        expect(rdma.spec.volumes).toEqual(tcp.spec.volumes);
        expect(container(rdma.spec, "vllm").securityContext).toEqual(container(tcp.spec, "vllm").securityContext);
        expect(container(rdma.spec, "vllm").securityContext).toMatchObject({ capabilities: { drop: ["ALL"] } });
      }
      const [namespace] = deployment.ofType("kubernetes:core/v1:Namespace").filter(({ name }) => name.includes("405b"));
      expect(namespace?.inputs.metadata).toMatchObject({
        labels: { "pod-security.kubernetes.io/enforce": "restricted" },
      });
    });

    it("asks for nothing of it over TCP", async () => {
      const { deployment, leader } = await deployed(
        {},
        groupPlan({ nodeLink: { transport: "tcp", gbps: 100, hostNetwork: false, networks: [], environment: {} } }),
      );
      expect(leader.metadata.annotations).not.toHaveProperty([NETWORKS]);
      expect(Object.keys(container(leader.spec, "vllm").resources.limits)).not.toContain("nvidia.com/rdma-vf");
      expect(deployment.resource("kubernetes:core/v1:ConfigMap", "serving-llama-405b-nccl").inputs.data).toEqual({});
    });
  });

  describe("on the network of its nodes", () => {
    const environment = { NCCL_NET: "IB", NCCL_IB_HCA: "=mlx5_0,mlx5_1", NCCL_SOCKET_IFNAME: "eth0" };
    const onHost = (changes: Partial<NodeLink> = {}, overrides: Parameters<typeof groupPlan>[0] = {}) =>
      groupPlan({
        nodeLink: { transport: "roce", gbps: 3200, hostNetwork: true, networks: [], environment, ...changes },
        ...overrides,
      });

    it("puts each pod alone on a node, with the cluster's names, and asks for no devices and no networks", async () => {
      const { leader, worker, group } = await deployed({}, onHost());
      for (const { metadata, spec } of [leader, worker]) {
        expect(spec).toMatchObject({ hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" });
        expect(spec.affinity).toEqual({
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                labelSelector: { matchExpressions: [{ key: HOST_NETWORK, operator: "Exists" }] },
                namespaceSelector: {},
                topologyKey: "kubernetes.io/hostname",
              },
            ],
          },
        });
        expect(metadata.labels).toMatchObject({ [HOST_NETWORK]: "llama-405b" });
        expect(metadata.annotations).not.toHaveProperty([NETWORKS]);
        expect(Object.keys(container(spec, "vllm").resources.limits)).not.toContain("nvidia.com/rdma-vf");
        expect(spec.volumes?.filter((volume) => "hostPath" in volume)).toEqual([]);
      }
      expect(crdProblems(group.inputs)).toEqual([]);
    });

    it("opens device files to the engine alone, which is no root and has no capability", async () => {
      const { leader, worker } = await deployed({}, onHost());
      for (const { spec } of [leader, worker]) {
        expect(container(spec, "vllm").securityContext).toEqual({
          privileged: true,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
          runAsNonRoot: true,
          seccompProfile: { type: "RuntimeDefault" },
        });
        expect(container(spec, "fetch-weights").securityContext).toMatchObject({ allowPrivilegeEscalation: false });
        expect(container(spec, "fetch-weights").securityContext).not.toHaveProperty("privileged");
      }
    });

    it("has a namespace that lets it, by a label that no other namespace gets the level by", async () => {
      const { deployment, group } = await deployed({}, onHost());
      const [namespace] = deployment.ofType("kubernetes:core/v1:Namespace").filter(({ name }) => name.includes("405b"));
      expect(namespace?.inputs.metadata).toMatchObject({
        labels: { "pod-security.kubernetes.io/enforce": "privileged", [HOST_NETWORK]: "llama-405b" },
      });
      expect(group.inputs.metadata).toMatchObject({ labels: { [HOST_NETWORK]: "llama-405b" } });
      expect(podSecurityLevel({ name: "model-other", labels: { [HOST_NETWORK]: "llama-405b" } })).toBe("restricted");
    });

    it("takes NCCL's interface for Gloo, and keeps Ray's workers off the ports of the node", async () => {
      const { leader } = await deployed({}, onHost());
      expect(literals(container(leader.spec, "vllm"))).toMatchObject({ GLOO_SOCKET_IFNAME: "eth0" });
      const ray = { engineVersion: "0.17.1", engineSettings: { distributedExecutor: "ray" } } as const;
      const { worker } = await deployed({}, onHost({}, ray));
      const engine = container(worker.spec, "vllm");
      expect(asStarted(engine)[2]).toContain("$RAY_PORTS");
      expect(literals(engine).RAY_PORTS).toBe("--min-worker-port=20000 --max-worker-port=28999");
      const plain = container((await deployed({}, groupPlan(ray))).worker.spec, "vllm");
      expect(literals(plain)).not.toHaveProperty("RAY_PORTS");
    });
  });

  it("keeps each replica in a block of the network of its own, where the pool says what names one", async () => {
    const TOPOLOGY = "leaderworkerset.sigs.k8s.io/exclusive-topology";
    const { nodeLink = undefined } = groupPlan();
    const link = nodeLink ?? { transport: "tcp" as const, hostNetwork: false, networks: [], environment: {} };
    const { group } = await deployed({}, groupPlan({ nodeLink: { ...link, topologyLabel: "example.com/block" } }));
    expect(group.inputs.metadata).toMatchObject({ annotations: { [TOPOLOGY]: "example.com/block" } });
    const anywhere = await deployed({}, groupPlan({ nodeLink: link }));
    expect((anywhere.group.inputs.metadata as { annotations: object }).annotations).not.toHaveProperty([TOPOLOGY]);
  });

  it("copies the weights on every node", async () => {
    const { leader, worker } = await deployed();
    for (const { spec } of [leader, worker]) {
      expect(literals(container(spec, "fetch-weights")).PREFIX).toBe("llama-405b");
      expect(spec.volumes).toContainEqual({ name: "model", emptyDir: { sizeLimit: "1135Gi" } });
    }
  });
});

describe("GroupController", () => {
  it("sets only values of the pinned chart", () => {
    expect(chartValueProblems("lws", groupControllerValues("production"))).toEqual([]);
  });

  it("is installed once, and only where a model spans nodes", async () => {
    const release = "kubernetes:helm.sh/v3:Release";
    const { deployment } = await deployed();
    const [lws, ...others] = deployment.ofType(release);
    expect(others).toEqual([]);
    expect(lws?.inputs).toMatchObject({ name: "lws", namespace: "lws-system", version: "0.10.0" });
    expect(lws?.inputs.values).toMatchObject({
      replicaCount: 2,
      image: { manager: { repository: "registry.k8s.io/lws/lws", tag: "v0.10.0", pullPolicy: "IfNotPresent" } },
    });
    expect((await deployServing([modelPlan()])).deployment.ofType(release)).toEqual([]);
  });
});
