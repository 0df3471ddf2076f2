import type { STANDARD_ENGINES } from "../engines/standard";
import type { STANDARD_ADDONS } from "../stacks/addons/standard";
import type { EnginePart, Part } from "./parts";

/** Engines of this package by name. Leave some out: `const { tgi, ...engines } = standardEngines`. */
export const standardEngines = {
  vllm: engine(
    "vllm",
    async () => (await import("../engines/vllm")).vllm,
    async () => {
      const [{ VllmServer }, { VllmGroup }, { isSplit, VllmSplit }] = await Promise.all([
        import("../components/serving/vllm-server"),
        import("../components/serving/vllm-group"),
        import("../components/serving/vllm-split"),
      ]);
      return {
        onOneNode: VllmServer,
        variants: [{ serves: isSplit, server: VllmSplit }],
        acrossNodes: VllmGroup,
      };
    },
  ),
  ollama: engine(
    "ollama",
    async () => (await import("../engines/ollama")).ollama,
    async () => ({
      onOneNode: (await import("../components/serving/ollama-server")).OllamaServer,
    }),
  ),
  triton: engine(
    "triton",
    async () => (await import("../engines/triton")).triton,
    async () => ({
      onOneNode: (await import("../components/serving/triton-server")).TritonServer,
    }),
  ),
  ray: engine(
    "ray",
    async () => (await import("../engines/ray")).ray,
    async () => ({
      onOneNode: (await import("../components/serving/ray-service")).RayService,
    }),
  ),
  tgi: engine(
    "tgi",
    async () => (await import("../engines/tgi")).tgi,
    async () => ({
      onOneNode: (await import("../components/serving/tgi-server")).TgiServer,
    }),
  ),
} satisfies Readonly<Record<keyof typeof STANDARD_ENGINES, Part<EnginePart>>>;

type StandardAddon = (typeof STANDARD_ADDONS)[number]["key"];

/** Add-ons of this package by their section, in build order. */
export const standardAddons = {
  modelControl: async () => ({ default: (await import("../stacks/addons/model-control/addon")).modelControl }),
  observability: async () => ({ default: (await import("../stacks/addons/observability/addon")).observability }),
  tracing: async () => ({ default: (await import("../stacks/addons/tracing/addon")).tracing }),
  logging: async () => ({ default: (await import("../stacks/addons/logging/addon")).logging }),
  beta9: async () => ({ default: (await import("../stacks/addons/beta9/addon")).beta9 }),
  openWebUi: async () => ({ default: (await import("../stacks/addons/open-webui/addon")).openWebUi }),
  portainer: async () => ({ default: (await import("../stacks/addons/portainer/addon")).portainer }),
  rancher: async () => ({ default: (await import("../stacks/addons/rancher/addon")).rancher }),
  gitops: async () => ({ default: (await import("../stacks/addons/gitops/addon")).gitops }),
} satisfies Readonly<Record<StandardAddon, Part<unknown>>>;

function engine(
  name: string,
  descriptor: () => Promise<EnginePart["engine"]>,
  servers: EnginePart["servers"],
): Part<EnginePart> {
  return async () => ({ default: { name, engine: await descriptor(), servers } });
}
