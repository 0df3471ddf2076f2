import { describe, expect, it } from "vitest";
import { imageEntry } from "../../../catalog/images";
import { defaultAnswers } from "../../../offline/answers";
import { crdProblems } from "../../harness/crds";
import { deploy } from "../../harness/deploy";
import { modelPlan } from "../../harness/plans";
import { container, literals, podTemplate, specOf } from "../serving/fixture";
import { deployed, grantedStore, modelStore, models } from "./fixture";

const SET = "kubernetes:apps/v1:StatefulSet";
const CLAIM = "kubernetes:core/v1:PersistentVolumeClaim";
const JOB = "kubernetes:batch/v1:Job";
const SECRET = "kubernetes:core/v1:Secret";
const PASSWORD = "random:index/randomPassword:RandomPassword";
const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";

describe("ModelStore", () => {
  it("keeps its data on a planned volume that production protects, with the namespace that it lies in", async () => {
    const deployment = await deployed();
    const claim = deployment.resource(CLAIM, "storage-minio-data");
    expect(claim.options).toMatchObject({ protect: true, retainOnDelete: true });
    expect(claim.inputs.metadata).toMatchObject({ labels: { "app.kubernetes.io/name": "minio" } });
    expect(specOf(claim)).toEqual({
      accessModes: ["ReadWriteOnce"],
      storageClassName: "encrypted",
      resources: { requests: { storage: "100Gi" } },
    });
    const { spec } = podTemplate(deployment.resource(SET, "storage-minio-server-statefulset"));
    expect(spec.volumes).toContainEqual({ name: "data", persistentVolumeClaim: { claimName: "minio-data" } });
    expect(deployment.resource("kubernetes:core/v1:Namespace", "storage-ns-namespace").options.protect).toBe(true);
  });

  it("may be thrown away where it is not protected", async () => {
    const deployment = await deployed({ protect: false });
    expect(deployment.resource(CLAIM, "storage-minio-data").options).toMatchObject({
      protect: false,
      retainOnDelete: false,
    });
    expect(deployment.resource("kubernetes:core/v1:Namespace", "storage-ns-namespace").options.protect).toBe(false);
  });

  it("survives one more model: the server is not replaced, the volume grows where it can", async () => {
    const plan = (sizeGiB: number) => ({ bucket: "models", sizeGiB });
    const fixed = { storageClass: "local-path", volumesGrow: false, privateCidrs: [], apiServerCidrs: [] };
    const before = await deployed({ plan: plan(100) });
    const after = await deployed({ plan: plan(200), models: [...models, modelPlan({ name: "another" })] });
    const server = "storage-minio-server-statefulset";
    expect(after.resource(SET, server).inputs).toEqual(before.resource(SET, server).inputs);
    expect(after.resource(CLAIM, "storage-minio-data").options.ignoreChanges).toEqual([]);
    const onLocalPath = await deployed({ plan: plan(200), cluster: fixed });
    expect(onLocalPath.resource(CLAIM, "storage-minio-data").options.ignoreChanges).toEqual([
      "spec.resources.requests.storage",
    ]);
  });

  it("keeps a cache on the nodes of the models that take their weights from one, with rights to those alone", async () => {
    const [copied, ...others] = models;
    const cached = modelPlan({ name: "cached", loading: "cache", nodeSelector: { pool: "l4" } });
    const deployment = await deployed({
      models: [copied, ...others, cached].flatMap((model) => model ?? []),
      plan: { nodeCacheGiB: 400 },
    });
    const agents = deployment.resource("kubernetes:apps/v1:DaemonSet", "storage-cache-agents");
    const { spec } = podTemplate(agents);
    const agent = container(spec, "node-cache");
    expect(agent.resources).toEqual({
      requests: { cpu: "100m", memory: "256Mi", "ephemeral-storage": "400Gi" },
      limits: { cpu: "8", memory: "2Gi", "ephemeral-storage": "400Gi" },
    });
    expect(literals(agent)).toMatchObject({ CAPACITY_BYTES: String(400 * 2 ** 30), BUCKET: "models" });
    expect(agent.securityContext).toMatchObject({ capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true });
    expect(spec.volumes).toContainEqual({
      name: "cache",
      hostPath: { path: "/var/lib/kubelet/inference-stacks-weights", type: "DirectoryOrCreate" },
    });
    expect(JSON.stringify(spec.affinity)).toContain('"key":"pool","operator":"In","values":["l4"]');
    const config = deployment.resource(CONFIG_MAP, "storage-cache-models").inputs.data as Record<string, string>;
    expect(JSON.parse(config["models.json"] ?? "")).toEqual({
      models: [{ model: "cached", namespace: "model-cached", prefix: "cached" }],
    });
    const policies = deployment.resource(CONFIG_MAP, "storage-setup-policies").inputs.data as Record<string, string>;
    expect(policies["node-cache.json"]).toContain("models/cached/*");
    expect(policies["node-cache.json"]).not.toContain("llama");
  });

  it("fills a folder that two revisions share by one Job after the other, each with a reader of its own", async () => {
    const first = modelPlan({ domain: "legal" });
    const revision = { ...first, name: "llama-8b-canary", engineVersion: "0.32.0", storeFolder: "legal/llama-8b" };
    const other = { ...revision, name: "llama-8b-next", storeFolder: "legal/llama-8b.2222" };
    const deployment = await deployed({ models: [first, revision, other] });
    const job = (name: string) => deployment.resource(JOB, `storage-sync-${name}-copy-job`);
    const prefixes = ["llama-8b", revision.name, other.name].map(
      (name) => literals(container(podTemplate(job(name)).spec, "sync")).PREFIX,
    );
    expect(prefixes).toEqual(["legal/llama-8b", "legal/llama-8b", "legal/llama-8b.2222"]);
    expect(job(revision.name).dependsOn).toContain(job("llama-8b").urn);
    expect(job(other.name).dependsOn).not.toContain(job("llama-8b").urn);
    const policies = JSON.stringify(deployment.ofType(CONFIG_MAP).map(({ inputs }) => inputs.data));
    expect(policies.match(/models\/legal\/llama-8b\/\*/g)).toHaveLength(2);
    expect(policies.match(/models\/legal\/llama-8b\.2222\/\*/g)).toHaveLength(1);
  });

  it("brings a replaced key to the server: Job and server are rolled by what their Secret holds, and by nothing else", async () => {
    const annotationsWith = async (key: string, resourceVersion: string) => {
      const deployment = await deploy(() => grantedStore(), {
        answers: {
          ...defaultAnswers,
          state: (type, name, inputs) => ({
            ...defaultAnswers.state(type, name, inputs),
            ...(type === SECRET && { metadata: { ...(inputs.metadata as object), resourceVersion } }),
            ...(type === PASSWORD && { result: `${name}-${key}` }),
          }),
        },
      });
      const places = [
        [JOB, "storage-setup-provision-job"],
        [SET, "storage-minio-server-statefulset"],
      ] as const;
      return places.map(
        ([type, name]) =>
          podTemplate(deployment.resource(type, name)).metadata.annotations["inference-stacks.io/secret-version"],
      );
    };
    const first = await annotationsWith("a", "1");
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(await annotationsWith("a", "2")).toEqual(first);
    const [job, server] = await annotationsWith("b", "1");
    expect(job).not.toBe(first[0]);
    expect(server).not.toBe(first[1]);
  });

  it("speaks TLS only, with a certificate of its own authority", async () => {
    const deployment = await deployed();
    const { spec } = podTemplate(deployment.resource(SET, "storage-minio-server-statefulset"));
    const server = container(spec, "minio");
    expect(server.args).toEqual(["server", "/data", "--address", ":9000", "--certs-dir", "/certs"]);
    expect(server.livenessProbe).toMatchObject({ httpGet: { scheme: "HTTPS" } });
    expect(spec.volumes).toContainEqual({
      name: "certificates",
      secret: {
        secretName: "minio-tls",
        items: [
          { key: "tls.crt", path: "public.crt" },
          { key: "tls.key", path: "private.key" },
          { key: "ca.crt", path: "CAs/ca.crt" },
        ],
      },
    });
    const certificates = deployment.ofKind("Certificate");
    const byName = new Map(certificates.map((c) => [(c.inputs.metadata as { name: string }).name, c.inputs]));
    expect(byName.get("minio")).toMatchObject({
      metadata: { namespace: "model-store" },
      spec: {
        secretName: "minio-tls",
        dnsNames: ["minio.model-store.svc", "minio.model-store.svc.cluster.local"],
        issuerRef: { kind: "ClusterIssuer", name: "model-store-ca" },
      },
    });
    expect(byName.get("model-store-ca")).toMatchObject({
      metadata: { namespace: "cert-manager" },
      spec: { isCA: true, secretName: "model-store-ca" },
    });
    for (const { inputs } of [...certificates, ...deployment.ofKind("ClusterIssuer")]) {
      expect(crdProblems(inputs)).toEqual([]);
    }
  });

  it("keeps every key in a Secret", async () => {
    const deployment = await deployed({ huggingFaceToken: "hf_example" });
    const root = deployment.resource(SECRET, "storage-minio-root");
    expect(root.secretInputs).toEqual(["stringData"]);
    const users = deployment.resource(SECRET, "storage-setup-users");
    expect(users.secretInputs).toEqual(["stringData"]);
    expect(Object.keys(users.inputs.stringData as object)).toEqual([
      "reader-llama-8b.access-key",
      "reader-llama-8b.secret-key",
      "store-metrics.access-key",
      "store-metrics.secret-key",
      "sync-writer.access-key",
      "sync-writer.secret-key",
    ]);
    const everything = JSON.stringify([
      ...deployment.ofType(CONFIG_MAP),
      ...deployment.ofType(JOB),
      ...deployment.ofType(SET),
    ]);
    expect(everything).not.toMatch(/offline-storage|hf_example/);
  });

  it("names no user: who reads the repository or the cluster's objects learns no access key", async () => {
    const generated = new Map<string, string>();
    const state: typeof defaultAnswers.state = (type, name, inputs) => {
      if (type !== "random:index/randomPassword:RandomPassword") {
        return defaultAnswers.state(type, name, inputs);
      }
      generated.set(name, `generated-${name}`);
      return { ...inputs, result: `generated-${name}` };
    };
    const deployment = await deploy(() => grantedStore(), { answers: { ...defaultAnswers, state } });
    const users = { root: "storage-minio-root-user", "sync-writer": "storage-name-sync-writer" };
    expect([...generated.keys()].filter((name) => /user|name/.test(name)).sort()).toEqual(
      [...Object.values(users), "storage-name-reader-llama-8b", "storage-name-store-metrics"].sort(),
    );
    const texts = (name: string) => deployment.resource(SECRET, name).inputs.stringData as Record<string, string>;
    expect(texts("storage-minio-root")).toEqual({
      user: "generated-storage-minio-root-user",
      password: "generated-storage-minio-root-password",
    });
    expect(texts("storage-setup-users")["sync-writer.access-key"]).toBe("generated-storage-name-sync-writer");
    expect(texts("weights-llama-8b-keys").credentials).toContain(
      "aws_access_key_id = generated-storage-name-reader-llama-8b\n",
    );
    const secrets = new Set(deployment.ofType(SECRET));
    const visible = deployment.recording.resources.filter(
      (resource) => !secrets.has(resource) && !resource.type.startsWith("random:"),
    );
    expect(
      visible.filter(({ inputs }) => JSON.stringify(inputs).includes("generated-")).map(({ name }) => name),
    ).toEqual([]);
  });

  it("runs the fork that has the fixes of CVE-2026-40344 and CVE-2026-41145, by digest, for server and set-up", async () => {
    const deployment = await deployed();
    const images = [
      container(podTemplate(deployment.resource(SET, "storage-minio-server-statefulset")).spec, "minio").image,
      container(podTemplate(deployment.resource(JOB, "storage-setup-provision-job")).spec, "mc").image,
    ];
    expect(new Set(images)).toEqual(
      new Set([expect.stringMatching(/^docker\.io\/pgsty\/silo:RELEASE\.2026-[\d-]+T[\d-]+Z@sha256:[0-9a-f]{64}$/)]),
    );
    // 2026-09-03 and before: SN-2026-011, which copies what the signer may read.
    const [, released = ""] = /RELEASE\.([\d-]+)T/.exec(imageEntry("model-store").tag) ?? [];
    expect(released >= "2026-09-16").toBe(true);
  });

  it("gives its metrics to who has a token, which the models that reach its port have not", async () => {
    const deployment = await deployed();
    const server = podTemplate(deployment.resource(SET, "storage-minio-server-statefulset")).spec;
    expect(literals(container(server, "minio")).MINIO_PROMETHEUS_AUTH_TYPE).toBe("jwt");
    const exporter = podTemplate(
      deployment.resource("kubernetes:apps/v1:Deployment", "storage-metrics-server-deployment"),
    );
    const { command, env, volumeMounts, ports } = container(exporter.spec, "store-metrics");
    expect(command).toEqual(["node", "/scripts/metrics.ts"]);
    expect(ports).toEqual([{ name: "metrics", containerPort: 9101 }]);
    expect(env.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([]);
    expect(volumeMounts).toContainEqual({
      name: "model-store-keys",
      mountPath: "/etc/model-store-keys",
      readOnly: true,
    });
    expect(exporter.spec.volumes).toContainEqual({
      name: "model-store-keys",
      secret: { secretName: "store-metrics-keys" },
    });
  });

  it("hands keys to containers as files, never as variables", async () => {
    const deployment = await deployed({ huggingFaceToken: "hf_example" });
    const templates = [...deployment.ofType(JOB), ...deployment.ofType(SET)].map(podTemplate);
    expect(templates).toHaveLength(3);
    for (const { spec } of templates) {
      expect(spec.containers.flatMap(({ env }) => env.filter(({ valueFrom }) => valueFrom !== undefined))).toEqual([]);
    }
    const server = podTemplate(deployment.resource(SET, "storage-minio-server-statefulset")).spec;
    expect(literals(container(server, "minio"))).toMatchObject({
      MINIO_ROOT_USER_FILE: "/etc/minio-root/user",
      MINIO_ROOT_PASSWORD_FILE: "/etc/minio-root/password",
    });
    const setup = podTemplate(deployment.resource(JOB, "storage-setup-provision-job")).spec;
    expect(literals(container(setup, "mc"))).toMatchObject({
      ROOT_USER_FILE: "/etc/minio-root/user",
      ROOT_PASSWORD_FILE: "/etc/minio-root/password",
    });
    for (const spec of [server, setup]) {
      // Items that do not exist keep a pod from starting: MinIO without these files takes its well-known defaults.
      const items = ["user", "password"].map((key) => ({ key, path: key }));
      expect(spec.volumes).toContainEqual({ name: "root", secret: { secretName: "minio-root", items } });
      expect(spec.containers[0]?.volumeMounts).toContainEqual({
        name: "root",
        mountPath: "/etc/minio-root",
        readOnly: true,
      });
    }
  });

  it("makes one read-only user for each stored model, and one writer", async () => {
    const data = (await deployed()).resource(CONFIG_MAP, "storage-setup-policies").inputs.data as Record<
      string,
      string
    >;
    expect(Object.keys(data)).toEqual(["reader-llama-8b.json", "store-metrics.json", "sync-writer.json"]);
    expect(data["reader-llama-8b.json"]).toContain("arn:aws:s3:::models/legal/llama-8b/*");
    expect(data["reader-llama-8b.json"]).not.toMatch(/PutObject|DeleteObject/);
  });

  it("refuses keys for a model that it was not told of", async () => {
    const program = () => modelStore().grant("weights", modelPlan(), "model-llama-8b", {});
    await expect(deploy(() => void program())).rejects.toThrow("models.llama-8b is not among the models of the store");
  });
});
