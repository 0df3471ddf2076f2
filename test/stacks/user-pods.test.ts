/** `models.<name>.pod` and `transform`: in the plan, in the resources, from the mirror, and before the policies. */
import { beforeAll, describe, expect, it } from "vitest";
import { usedImages } from "../../report/images";
import { judge } from "../../report/judge";
import { ConfigError } from "../../stacks/config";
import { ruleCases } from "./config/rule-cases";
import { rightEnvironment } from "./config/samples";
import { planText, refusalsOf } from "./planned";
import { changedRun, type ProgramRun } from "./run";
import { environmentText, suggestedSections } from "./texts";

const IMAGE = "registry.example.com/ops/shipper:1.4.2";
const chat = { model: "llama-3.2-3b-instruct", concurrency: 2 };
const withPod = (pod: object, model: object = {}) => ({ models: { chat: { ...chat, pod, ...model } } });
const sidecar = { name: "shipper", image: IMAGE, cpu: 0.25, memoryGiB: 0.5 };
const SERVER = "platform-models-chat-server-deployment";
const patch = { op: "add", path: "/spec/template/spec/shareProcessNamespace", value: true };
const transform = (changes: object) => ({
  transform: [{ kind: "Deployment", resource: SERVER, reason: "debugging", patches: [patch], ...changes }],
});

ruleCases([
  [
    "a volume of no source",
    withPod({ volumes: [{ name: "kv", mountPath: "/kv" }] }),
    { path: "models.chat.pod.volumes[0]", allowed: "scratchGiB, claim", fix: "scratchGiB: 100" },
  ],
  [
    "a volume over the model",
    withPod({ volumes: [{ name: "kv", mountPath: "/models/current/x", scratchGiB: 1 }] }),
    { path: "models.chat.pod.volumes[0].mountPath", allowed: "outside of /models/current", fix: "/kv" },
  ],
  [
    "a mount of no volume",
    withPod({ sidecars: [{ ...sidecar, mounts: { kv: "/kv" } }] }),
    { path: "models.chat.pod.sidecars[0].mounts.kv", allowed: "none yet", fix: "add it to pod.volumes" },
  ],
  [
    "two containers of one name",
    withPod({ sidecars: [sidecar], initContainers: [{ name: "shipper", image: IMAGE }] }),
    { path: "models.chat.pod.sidecars[0].name", allowed: "a unique name", fix: "rename" },
  ],
  [
    "a token in a variable",
    withPod({ sidecars: [{ ...sidecar, env: { T: `hf_${"a1".repeat(12)}` } }] }),
    { path: "models.chat.pod.sidecars[0].env.T", allowed: "no secrets", fix: "Secret" },
  ],
  [
    "a network by annotation",
    withPod({ annotations: { "k8s.v1.cni.cncf.io/networks": "lan" } }),
    {
      path: 'models.chat.pod.annotations["k8s.v1.cni.cncf.io/networks"]',
      allowed: "act upon k8s.v1.cni.cncf.io",
      fix: "prefix of your own",
    },
  ],
  [
    "a label that the platform goes by",
    withPod({ labels: { "inference-stacks.io/model": "other" } }),
    { path: 'models.chat.pod.labels["inference-stacks.io/model"]', allowed: "act upon", fix: "prefix of your own" },
  ],
  [
    "pods that an operator makes",
    withPod({ memoryGiB: 64 }, { engine: "ray" }),
    { path: "models.chat.pod", allowed: "nothing with Ray", fix: "another engine" },
  ],
  [
    "a patch of a Secret",
    transform({ kind: "Secret" }),
    { path: "transform[0].resource", allowed: "no Secret", fix: "set the secret" },
  ],
  [
    "a patch of a name",
    transform({ patches: [{ op: "replace", path: "/metadata/name", value: "x" }] }),
    { path: "transform[0].patches[0].path", allowed: "other resources know it", fix: "remove the patch" },
  ],
  [
    "a patch of what policies go by",
    transform({ patches: [{ op: "remove", path: "/metadata/annotations/inference-stacks.io~1memory-most-gib" }] }),
    { path: "transform[0].patches[0].path", allowed: "policies", fix: "prefix of your own" },
  ],
  [
    "another version of a chart",
    transform({ kind: "Release", patches: [{ op: "replace", path: "/version", value: "1.0.0" }] }),
    { path: "transform[0].patches[0].path", allowed: "below /values", fix: "/values/" },
  ],
  [
    "a path into a prototype",
    transform({ patches: [{ op: "add", path: "/spec/__proto__/x", value: 1 }] }),
    { path: "transform[0].patches[0].path", allowed: "a JSON Pointer", fix: "" },
  ],
]);

describe("what a pod takes", () => {
  const planned = async (model: object) =>
    (await planText(environmentText({ ...rightEnvironment, ...withPod(model) }))).plan;

  it("is at least what its user says, with sidecars and scratch space besides", async () => {
    const [plain, grown] = await Promise.all([
      planned({}),
      planned({
        cpu: 20,
        memoryGiB: 100,
        sidecars: [sidecar],
        volumes: [{ name: "a", mountPath: "/a", scratchGiB: 50 }],
      }),
    ]);
    const [before, after] = [plain.models[0]?.resources, grown.models[0]?.resources];
    expect(after).toMatchObject({ memoryGiB: 100, ephemeralStorageGiB: (before?.ephemeralStorageGiB ?? 0) + 50 });
    expect(after?.cpu).toBeGreaterThanOrEqual(20);
    expect(grown.models[0]?.sidecars).toEqual({ cpu: 0.25, memoryGiB: 0.5, ephemeralStorageGiB: 1 });
  });

  it("is refused where no node has it", async () => {
    const [refusal] = refusalsOf(await planned({ memoryGiB: 5000 }));
    expect(refusal).toMatchObject({ rule: "model-fits", subject: "models.chat" });
  });

  it("has the time to start that its user gives", async () => {
    const { models } = await planned({ probes: { startupSeconds: 60 } });
    expect(models[0]?.startupBudgetSeconds).toBe(60);
    expect(models[0]?.notes.join()).toContain("pod.probes.startupSeconds ends a start after 60 s");
  });
});

it("docs/pod.md and docs/transform.md suggest what can be deployed", async () => {
  const found = [...suggestedSections("pod.md"), ...suggestedSections("transform.md")];
  expect(found).toHaveLength(2);
  for (const sections of found) {
    expect(refusalsOf((await planText(environmentText({ ...rightEnvironment, ...sections }))).plan)).toEqual([]);
  }
});

interface Container {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: object;
  readonly livenessProbe?: object;
}

const MIRROR = "mirror.example.com/all";
const base = { nodes: {}, modelControl: { enabled: false }, images: { mirror: MIRROR } };

describe("in the cluster", () => {
  let run: ProgramRun;
  let template: {
    metadata: { labels: object; annotations: object };
    spec: { initContainers: Container[]; containers: Container[]; volumes: object[]; shareProcessNamespace?: boolean };
  };
  beforeAll(async () => {
    const pod = {
      annotations: { "example.com/cost-center": "4711" },
      labels: { "example.com/team": "search" },
      volumes: [
        { name: "kv", mountPath: "/kv", scratchGiB: 100 },
        { name: "set", mountPath: "/set", configMap: "settings" },
      ],
      initContainers: [{ name: "prepare", image: IMAGE, mounts: { kv: "/kv" } }],
      sidecars: [{ ...sidecar, mounts: { set: "/set" }, writablePaths: ["/tmp"] }],
      probes: { liveness: { failures: 9 } },
    };
    const patches = [patch, { op: "replace", path: "/spec/template/spec/initContainers/1/image", value: `${IMAGE}-b` }];
    run = await changedRun("oci-a10", { ...base, ...withPod(pod), ...transform({ patches }) });
    const { inputs } = run.deployment.resource("kubernetes:apps/v1:Deployment", SERVER);
    template = (inputs.spec as { template: typeof template }).template;
  });

  it("has volumes, containers and words of the user's beside its own", () => {
    const { metadata, spec } = template;
    expect(metadata.labels).toMatchObject({ "example.com/team": "search", "inference-stacks.io/model": "chat" });
    expect(metadata.annotations).toMatchObject({ "example.com/cost-center": "4711" });
    expect(spec.initContainers.slice(-2)).toMatchObject([
      { name: "own-prepare", volumeMounts: [{ name: "own-kv", mountPath: "/kv" }] },
      { name: "own-shipper", restartPolicy: "Always" },
    ]);
    expect(spec.volumes).toEqual(
      expect.arrayContaining([
        { name: "own-kv", emptyDir: { sizeLimit: "100Gi" } },
        { name: "own-set", configMap: { name: "settings" } },
      ]),
    );
    const [engine] = spec.containers;
    expect(engine?.volumeMounts).toEqual(
      expect.arrayContaining([
        { name: "own-kv", mountPath: "/kv" },
        { name: "own-set", mountPath: "/set", readOnly: true },
      ]),
    );
    expect(engine?.livenessProbe).toMatchObject({ failureThreshold: 9 });
  });

  it("takes images through the mirror, patched ones too, and is judged as a whole", () => {
    const images = usedImages(run.resources).map(({ image }) => image);
    expect(images).toContain(`${MIRROR}/${IMAGE}`);
    expect(images).toContain(`${MIRROR}/${IMAGE}-b`);
    expect(template.spec.shareProcessNamespace).toBe(true);
    const { violations } = judge(run);
    expect(violations.filter(({ severity }) => severity !== "advisory")).toEqual([]);
    expect(violations).toContainEqual(expect.objectContaining({ policy: "transformed", severity: "advisory" }));
  });
});

it("a patch does not pass the policies by", async () => {
  const path = "/spec/template/spec/containers/0/securityContext/privileged";
  const run = await changedRun("oci-a10", { ...base, ...withPod({}), ...transform({ patches: [{ ...patch, path }] }) });
  const { violations } = judge(run);
  expect(violations.map(({ policy }) => policy)).toContain("restricted-security-context");
});

it("a patch that meets nothing is told, each with its reason", async () => {
  const patches = [
    { op: "remove", path: "/spec/none" },
    { op: "add", path: "/spec/template/spec/containers/7/tty", value: true },
  ];
  const asked = [...transform({ patches }).transform, ...transform({ resource: "platform-none" }).transform];
  const failed = changedRun("oci-a10", { ...base, ...withPod({}), transform: asked });
  await expect(failed).rejects.toThrow(ConfigError);
  await expect(failed).rejects.toMatchObject({
    problems: [
      { path: "transform[0].patches[0].path", allowed: expect.stringContaining("no /spec/none") },
      { path: "transform[0].patches[1].path", allowed: expect.stringContaining("none at 7") },
      { path: "transform[1].resource", allowed: expect.stringContaining("no such resource") },
    ],
  });
});
