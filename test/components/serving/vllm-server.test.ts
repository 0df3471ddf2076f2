import { describe, expect, it } from "vitest";
import upstream from "../../fixtures/upstream/vllm-flags.json";
import { modelPlan } from "../../harness/plans";
import { container, deployServing, literals, podTemplate, specOf } from "./fixture";

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";

async function deployed(model = modelPlan(), overrides: Parameters<typeof deployServing>[1] = {}) {
  const { deployment, serving } = await deployServing([model], overrides);
  const resource = deployment.resource(DEPLOYMENT, `serving-${model.name}-server-deployment`);
  return { deployment, serving, resource, template: podTemplate(resource) };
}

describe("VllmServer", () => {
  it("says where the model answers", async () => {
    const { serving } = await deployed();
    expect(serving.endpoints).toEqual([
      {
        model: "llama-8b",
        servedName: "llama-3.1-8b-instruct",
        engine: "vllm",
        task: "chat",
        namespace: "model-llama-8b",
        service: "model-llama-8b",
        readyPath: "/v1/models",
        ports: { openai: 8000 },
        podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "model-llama-8b" },
        scale: { apiVersion: "apps/v1", kind: "Deployment", name: "model-llama-8b" },
        metrics: { port: 8000, path: "/metrics" },
      },
    ]);
  });

  it("answers to further names, which the gateway publishes too", async () => {
    const { serving, template } = await deployed(modelPlan({ aliases: ["gpt-4o-mini", "chat"] }));
    const args = container(template.spec, "vllm").args ?? [];
    const at = args.indexOf("--served-model-name");
    expect(args.slice(at + 1, at + 4)).toEqual(["llama-3.1-8b-instruct", "gpt-4o-mini", "chat"]);
    expect(serving.endpoints[0]?.otherNames).toEqual(["gpt-4o-mini", "chat"]);
  });

  it("starts with the flags and variables that the user gives, each variable once", async () => {
    const env = { NCCL_DEBUG: "INFO", HSA_OVERRIDE_GFX_VERSION: "11.0.0", NOTE: "$(AWS_SECRET_ACCESS_KEY)" };
    const model = modelPlan({ gpuVendor: "amd", args: { "enforce-eager": true }, env });
    const amd = { environment: { HSA_OVERRIDE_GFX_VERSION: "10.3.0", HSA_ENABLE_SDMA: "0" } };
    const engine = container((await deployed(model, { gpuAccess: { amd } })).template.spec, "vllm");
    expect(engine.command).toEqual(["vllm", "serve"]);
    expect(engine.args).toContain("--enforce-eager");
    expect(literals(engine)).toMatchObject({
      NCCL_DEBUG: "INFO",
      HSA_OVERRIDE_GFX_VERSION: "11.0.0",
      HSA_ENABLE_SDMA: "0",
      NOTE: "$$(AWS_SECRET_ACCESS_KEY)",
    });
    const names = engine.env.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("mounts the chat template that the user gives, read-only, and rolls the pods when it changes", async () => {
    const withTemplate = async (text: string) => {
      const { deployment, template } = await deployed(modelPlan({ chatTemplate: { file: "chat.jinja", text } }));
      return { deployment, template, engine: container(template.spec, "vllm") };
    };
    const { deployment, template, engine } = await withTemplate("{{ messages }}");
    const map = deployment.resource("kubernetes:core/v1:ConfigMap", "serving-llama-8b-template");
    expect(map.inputs).toMatchObject({
      metadata: { name: "chat-template", namespace: "model-llama-8b" },
      data: { "template.jinja": "{{ messages }}" },
    });
    expect(engine.args).toContain("--chat-template=/chat-template/template.jinja");
    expect(engine.volumeMounts).toContainEqual({
      name: "chat-template",
      mountPath: "/chat-template",
      readOnly: true,
    });
    expect(template.spec.volumes).toContainEqual({ name: "chat-template", configMap: { name: "chat-template" } });
    const other = (await withTemplate("{{ other }}")).template.metadata.annotations;
    expect(other).not.toEqual(template.metadata.annotations);
    const plain = await deployed();
    expect(container(plain.template.spec, "vllm").args?.join(" ")).not.toContain("chat-template");
  });

  it("never names a Service after the engine", async () => {
    const { deployment } = await deployed(modelPlan({ name: "vllm" }));
    const names = deployment
      .ofType("kubernetes:core/v1:Service")
      .map((s) => (s.inputs.metadata as { name: string }).name);
    expect(names).toContain("model-vllm");
    expect(names).not.toContain("vllm");
  });

  it("gives the GPUs to the engine's container alone, requests equal to limits everywhere", async () => {
    const { template } = await deployed();
    const engine = container(template.spec, "vllm");
    expect(engine.resources.limits).toEqual({
      cpu: "14",
      memory: "56Gi",
      "ephemeral-storage": "33Gi",
      "nvidia.com/gpu": "1",
    });
    const fetch = container(template.spec, "fetch-weights");
    expect(fetch.resources.limits).toEqual({ cpu: "8", memory: "2Gi", "ephemeral-storage": "33Gi" });
    for (const { resources } of [engine, fetch]) {
      expect(resources.requests).toEqual(resources.limits);
    }
  });

  it("replaces GPU pods one by one, since no GPU is left for an extra one", async () => {
    const { resource } = await deployed();
    expect(specOf(resource)).toMatchObject({
      replicas: 1,
      strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      progressDeadlineSeconds: 5830,
    });
  });

  it("copies the weights into a local volume before the engine starts", async () => {
    const { template } = await deployed();
    const fetch = container(template.spec, "fetch-weights");
    expect(fetch.command).toEqual(["node", "/scripts/fetch.ts"]);
    expect(literals(fetch)).toMatchObject({
      RUN: "fetch",
      BUCKET: "models",
      PREFIX: "llama-8b",
      TARGET: "/models/current",
      MANIFEST_PIN: "/etc/weights-manifest/sha256",
      AWS_ENDPOINT_URL: "https://minio.model-store.svc:9000",
      NODE_EXTRA_CA_CERTS: "/etc/model-store/ca.crt",
    });
    expect(template.spec.volumes).toContainEqual({ name: "model", emptyDir: { sizeLimit: "23Gi" } });
    // What the sync Job reported, from outside of the bucket; without items, so that the script says what is missing.
    expect(fetch.volumeMounts).toContainEqual({
      name: "weights-manifest",
      mountPath: "/etc/weights-manifest",
      readOnly: true,
    });
    expect(template.spec.volumes).toContainEqual({ name: "weights-manifest", configMap: { name: "weights-manifest" } });
    const engine = container(template.spec, "vllm");
    expect(engine.args?.[0]).toBe("/models/current");
    expect(engine.volumeMounts).toContainEqual({ name: "model", mountPath: "/models/current", readOnly: true });
    expect(engine.env.map((e) => e.name)).not.toContain("AWS_SHARED_CREDENTIALS_FILE");
    expect(engine.volumeMounts.map((mount) => mount.name)).not.toContain("model-store-keys");
  });

  it("links the weights from the node's cache, which it can only read and has no keys of", async () => {
    const { deployment, template } = await deployed(modelPlan({ loading: "cache" }));
    const link = container(template.spec, "cached-weights");
    expect(literals(link)).toEqual({
      RUN: "cached-model",
      CACHE: "/node-cache",
      TARGET: "/models/current",
      MANIFEST_PIN: "/etc/weights-manifest/sha256",
      TERMINATION_LOG: "/dev/termination-log",
    });
    const mount = { name: "node-cache", mountPath: "/node-cache", readOnly: true };
    const engine = container(template.spec, "vllm");
    for (const { volumeMounts } of [link, engine]) {
      expect(volumeMounts).toContainEqual(mount);
      expect(volumeMounts.map(({ name }) => name)).not.toContain("model-store-keys");
    }
    expect(engine.args?.[0]).toBe("/models/current");
    expect(template.spec.volumes).toContainEqual({
      name: "node-cache",
      persistentVolumeClaim: { claimName: "node-cache", readOnly: true },
    });
    const [volume] = deployment.ofType("kubernetes:core/v1:PersistentVolume");
    expect(volume && specOf(volume)).toMatchObject({
      accessModes: ["ReadOnlyMany"],
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace: "model-llama-8b", name: "node-cache" },
      hostPath: { path: "/var/lib/kubelet/inference-stacks-weights/llama-8b" },
    });
    const role = deployment
      .ofType("kubernetes:rbac.authorization.k8s.io/v1:Role")
      .find(({ name }) => name.endsWith("cache-role"));
    expect(role?.inputs.rules).toEqual([{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }]);
  });

  it("reads its keys from the file of a Secret, never from a variable", async () => {
    const { deployment, template } = await deployed();
    const fetch = container(template.spec, "fetch-weights");
    expect(literals(fetch)).toMatchObject({ AWS_SHARED_CREDENTIALS_FILE: "/etc/model-store-keys/credentials" });
    expect(fetch.env.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([]);
    const mount = { name: "model-store-keys", mountPath: "/etc/model-store-keys", readOnly: true };
    expect(fetch.volumeMounts).toContainEqual(mount);
    expect(template.spec.volumes).toContainEqual({
      name: "model-store-keys",
      secret: { secretName: "model-store-keys" },
    });
    const secret = deployment.resource("kubernetes:core/v1:Secret", "serving-llama-8b-weights-keys");
    expect(secret.secretInputs).toEqual(["stringData"]);
    expect(secret.inputs.metadata).toMatchObject({ namespace: "model-llama-8b" });
    expect(secret.inputs.stringData).toEqual({
      credentials: expect.stringMatching(
        /^\[default\]\naws_access_key_id = offline-storage-name-reader-llama-8b\naws_secret_access_key = \S+\n$/,
      ),
    });
  });

  it("streams instead, when the plan says so: no copy, no volume for it", async () => {
    const { template } = await deployed(modelPlan({ loading: "stream", domain: "legal" }));
    expect(template.spec.initContainers).toBeUndefined();
    const engine = container(template.spec, "vllm");
    expect(engine.args?.[0]).toBe("s3://models/legal/llama-8b/");
    expect(literals(engine)).toMatchObject({
      AWS_ENDPOINT_URL: "https://minio.model-store.svc:9000",
      AWS_CA_BUNDLE: "/etc/model-store/ca.crt",
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_SHARED_CREDENTIALS_FILE: "/etc/model-store-keys/credentials",
      RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING: "0",
    });
    expect(template.spec.volumes.map((v) => v.name)).not.toContain("model");
  });

  it("probes readiness by the loaded model and liveness by the engine, within the start-up budget", async () => {
    const { template } = await deployed();
    const engine = container(template.spec, "vllm");
    expect(engine.startupProbe).toEqual({
      httpGet: { path: "/v1/models", port: "http" },
      periodSeconds: 10,
      terminationGracePeriodSeconds: 30,
      timeoutSeconds: 5,
      failureThreshold: 40,
    });
    expect(engine.readinessProbe).toMatchObject({ httpGet: { path: "/v1/models" } });
    expect(engine.livenessProbe).toMatchObject({
      exec: { command: ["python3", "-c", expect.stringContaining("/health"), "8000", "/tmp/engine-alive.json", "270"] },
      terminationGracePeriodSeconds: 30,
    });
  });

  it("asks the API server alone in releases whose figures of aborted requests stay", async () => {
    for (const [engineVersion, asks] of [
      ["0.10.1.1", "httpGet"],
      ["0.10.2", "exec"],
    ] as const) {
      const { template } = await deployed(modelPlan({ engineVersion }));
      expect([engineVersion, Object.keys(container(template.spec, "vllm").livenessProbe ?? {})]).toEqual([
        engineVersion,
        expect.arrayContaining([asks]),
      ]);
    }
  });

  it("leaves running requests the time that the engine drains", async () => {
    const { template } = await deployed();
    const engine = container(template.spec, "vllm");
    expect(engine.lifecycle).toEqual({ preStop: { sleep: { seconds: 10 } } });
    expect(engine.args).toContain("--shutdown-timeout=3600");
    expect(template.spec.terminationGracePeriodSeconds).toBe(3630);
  });

  it("sets only variables that the release reads", async () => {
    const { template } = await deployed();
    const known = new Set([...upstream.env.map((e) => e.name), ...upstream.nonVllmEnvRead]);
    const ofVllm = Object.keys(literals(container(template.spec, "vllm"))).filter((name) =>
      /^(VLLM|HF|TRITON|TORCH)/.test(name),
    );
    expect(ofVllm.length).toBeGreaterThan(5);
    expect(ofVllm.filter((name) => !known.has(name))).toEqual([]);
    expect(literals(container(template.spec, "vllm"))).toMatchObject({
      HF_HUB_OFFLINE: "1",
      VLLM_NO_USAGE_STATS: "1",
      VLLM_ENGINE_READY_TIMEOUT_S: "400",
    });
  });

  it("shares memory between the engine's workers, and writes nowhere but to scratch volumes", async () => {
    const { template } = await deployed();
    expect(template.spec.volumes).toContainEqual({
      name: "shared-memory",
      emptyDir: { medium: "Memory", sizeLimit: "1Gi" },
    });
    const mounts = container(template.spec, "vllm").volumeMounts.map((m) => m.mountPath);
    expect(mounts).toEqual(expect.arrayContaining(["/dev/shm", "/tmp", "/cache"]));
  });

  it("records the planned memory and the hash of its scripts on the pods", async () => {
    const { template } = await deployed();
    expect(template.metadata.annotations).toEqual({
      "inference-stacks.io/memory-total-gib": "18.69",
      "inference-stacks.io/memory-most-gib": "19.19",
      "inference-stacks.io/memory-limit-gib": "20.61",
      "inference-stacks.io/config-hash": expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  it("replaces its pods when the model's revision changes", async () => {
    const hashOf = async (revision: string) => {
      const source = { kind: "huggingface", repository: "org/model", revision } as const;
      const { template } = await deployed(modelPlan({ source }));
      return template.metadata.annotations["inference-stacks.io/config-hash"];
    };
    expect(await hashOf("v1")).toBe(await hashOf("v1"));
    expect(await hashOf("v2")).not.toBe(await hashOf("v1"));
  });

  it("runs on Radeon with its image, device groups and overrides", async () => {
    const model = modelPlan({
      gpuVendor: "amd",
      resources: { ...modelPlan().resources, gpuResource: "amd.com/gpu" },
    });
    const { template } = await deployed(model, {
      gpuAccess: {
        nvidia: { runtimeClass: "nvidia" },
        amd: { groups: [109], environment: { HSA_OVERRIDE_GFX_VERSION: "10.3.0" } },
      },
    });
    expect(template.spec.runtimeClassName).toBeUndefined();
    const engine = container(template.spec, "vllm");
    expect(engine.image).toMatch(/vllm-openai-rocm:v0\.33\.0-rocm72/);
    expect(engine.resources.limits["amd.com/gpu"]).toBe("1");
    expect(literals(engine)).toMatchObject({ HSA_OVERRIDE_GFX_VERSION: "10.3.0" });
    expect(template.spec.securityContext.supplementalGroups).toEqual([109]);
  });

  it("has the tag of its release on Radeon: without a suffix before there was one", async () => {
    const { template } = await deployed(modelPlan({ gpuVendor: "amd", engineVersion: "0.32.0" }));
    expect(container(template.spec, "vllm").image).toMatch(/vllm-openai-rocm:v0\.32\.0$/);
  });

  it("takes node selection, tolerations and runtime class from plan and cluster", async () => {
    const { template } = await deployed(modelPlan(), {
      gpuAccess: { nvidia: { runtimeClass: "nvidia" }, amd: { groups: [109] } },
    });
    expect(template.spec.securityContext.supplementalGroups).toBeUndefined();
    expect(template.spec).toMatchObject({
      runtimeClassName: "nvidia",
      nodeSelector: { "inference-stacks.io/pool": "a10" },
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    });
  });

  it("runs on CPUs with the image for them, and with threads for the pod's cores alone", async () => {
    const cpus = { gpuVendor: undefined, gpuModel: undefined, gpusPerNode: 0 };
    const resources = { cpu: 7.5, memoryGiB: 12, ephemeralStorageGiB: 20, sharedMemoryGiB: 1, gpus: 0 };
    const { template, resource } = await deployed(modelPlan({ ...cpus, resources }));
    const engine = container(template.spec, "vllm");
    // The old pod serves until the new one does: its drain is not waited for.
    expect(specOf(resource)).toMatchObject({
      strategy: { rollingUpdate: { maxSurge: 1 } },
      progressDeadlineSeconds: 2200,
    });
    expect(engine.image).toMatch(/vllm-openai-cpu:v0\.33\.0/);
    expect(literals(engine)).toMatchObject({ VLLM_CPU_OMP_THREADS_BIND: "nobind", OMP_NUM_THREADS: "6" });
    expect(engine.resources.limits).toMatchObject({ cpu: "7500m", memory: "12Gi" });
    expect(Object.keys(engine.resources.limits)).not.toContain("nvidia.com/gpu");
    expect(template.spec.volumes).toContainEqual({
      name: "shared-memory",
      emptyDir: { medium: "Memory", sizeLimit: "1Gi" },
    });
    const { template: onGpus } = await deployed(modelPlan());
    expect(Object.keys(literals(container(onGpus.spec, "vllm")))).not.toContain("OMP_NUM_THREADS");
  });

  it("pulls another version of the engine when the plan asks for one", async () => {
    const { template } = await deployed(modelPlan({ engineVersion: "0.30.0" }));
    expect(container(template.spec, "vllm").image).toMatch(/vllm-openai:v0\.30\.0@sha256:/);
  });

  it("refuses what it cannot serve, with the reason and a fix", async () => {
    await expect(deployed(modelPlan(), { store: undefined })).rejects.toThrow(/this environment has none/);
    const foreign = { kind: "bucket", uri: "s3://elsewhere/llama" } as const;
    await expect(deployed(modelPlan({ source: foreign }))).rejects.toThrow(/not below s3:\/\/models\//);
    const tag = { kind: "ollama", tag: "llama3.1" } as const;
    await expect(deployed(modelPlan({ source: tag }), {})).rejects.toThrow(/model store|ollama:\/\//);
  });
});
