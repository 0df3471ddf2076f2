/** `addons/notes.ts` of a thin repository: an add-on with a component alone. */
export const NOTES_ADDON = `
import * as pulumi from "@pulumi/pulumi";
import { addon } from "inference-stacks/addon";
import { z } from "zod";

export default addon({
  key: "notes",
  section: z.strictObject({ title: z.string() }).optional(),
  settings: (section) => section,
  load: async () => ({
    build: ({ name, options }) => ({ component: new pulumi.ComponentResource("test:notes:Notes", name, {}, options()) }),
  }),
});
`;

/** `index.ts` of a thin repository: few parts of ours, that add-on, and the engine of `copyMadeUpEngine`. */
export const OWN_PARTS = `
import { definePlatform, standardAddons, standardEngines } from "inference-stacks";

const { tgi, ray, triton, ...engines } = standardEngines;
const { modelControl, observability } = standardAddons;

const phantom = async () => ({
  default: {
    name: "phantom",
    engine: (await import("./engines/phantom/engine")).phantom,
    servers: async () => ({ onOneNode: (await import("./engines/phantom/server")).PhantomServer }),
  },
});

const image = (component: string, tag: string) => ({
  component,
  repository: "registry.example.com/phantom",
  tag,
  platforms: ["linux/amd64"],
  platformsConfidence: "stated" as const,
  gpus: { computeCapability: 7, source: "made up" },
  confidence: "stated" as const,
  source: "made up",
  asOf: "2026-12-01",
});

export default definePlatform({
  engines: [...Object.values(engines), phantom],
  addons: [modelControl, observability, () => import("./addons/notes")],
  catalog: {
    images: [image("phantom-cuda", "v1.2.3"), image("phantom-glow", "v1.2.3-glow")],
    models: [
      {
        name: "our-model",
        repository: "acme/our-model",
        license: "ours",
        gated: false,
        task: "chat",
        configPath: "models/our-model/config.json",
        source: "made up",
        asOf: "2026-12-01",
      },
    ],
  },
  transform: ({ name, type }) => {
    if (type === "test:notes:Notes") {
      process.env.TRANSFORMED = name;
    }
    return undefined;
  },
});
`;

/** `Pulumi.own.yaml`: all of that in one environment. */
export const OWN_ENVIRONMENT = `
config:
  inference-stacks:stage: development
  inference-stacks:cluster: { kind: local }
  inference-stacks:pools:
    box:
      node: { card: rtx-4090, gpuCount: 2, vcpus: 32, memoryGiB: 128 }
  inference-stacks:models:
    echo: { model: our-model, engine: phantom, contextTokens: 2048, concurrency: 2, phantom: { beam: 3 } }
  inference-stacks:gateway:
    hostname: inference.example.internal
    exposure: ClusterIP
    tls: { kind: self-signed }
  inference-stacks:notes: { title: Mine }
`;
