/**
 * KV connectors with recurrent models. vLLM disables the hybrid KV cache manager, which keeps
 * recurrent states, with connectors that do not support it: such models do not start.
 */
import { spanText } from "../../catalog/engine-releases";
import { compareVersions } from "../../names/versions";
import { keepsStates, type ModelArchitecture, mixersOf, type RecurrentMixer } from "../../planner/model/architecture";
import type { ServedModel } from "../served-model";
import type { SettingsOutcome } from "../settings";
import { kvConnectors } from "./kv-connectors";
import type { VllmOwnSettings } from "./settings";
import table from "./state-transfer.json";

/** NIXL's layout of convolution states: (channel, token). */
export const NIXL_STATE_LAYOUT = { name: "VLLM_SSM_CONV_STATE_LAYOUT", value: "DS" } as const;

const nixlSince: Readonly<Partial<Record<RecurrentMixer["variant"], string>>> = table.nixl.since;

/** Why a recurrent model would not start with its connectors. Its engine version is vLLM's. */
export function stateTransferProblems(model: ServedModel, own: VllmOwnSettings): SettingsOutcome["problems"] {
  const names = connectorsOf(model, own);
  if (!keepsStates(model.architecture) || names.length === 0) {
    return [];
  }
  return [...new Set(names)]
    .flatMap((name) => connectorProblem(name, model, own) ?? [])
    .map((message) => ({ rule: "state-transfer", message: `models.${model.name}: ${message}` }));
}

/** Connectors that move blocks, including parts of a MultiConnector. */
function connectorsOf({ args = {} }: ServedModel, { prefillDecode }: VllmOwnSettings): string[] {
  const named = kvConnectors(args["kv-transfer-config"]).map(({ name }) => name);
  return [
    ...(prefillDecode ? ["NixlConnector"] : []),
    ...(args["kv-offloading-size"] === undefined ? [] : ["OffloadingConnector"]),
    ...named.filter((name) => name !== "MultiConnector"),
  ];
}

function connectorProblem(name: string, model: ServedModel, own: VllmOwnSettings): string | undefined {
  const { architecture, engineVersion: version, env = {} } = model;
  const isNixl = table.nixl.names.includes(name);
  const asked = own.prefillDecode && isNixl ? "vllm.prefillDecode" : name;
  if (compareVersions(version, table.since) < 0) {
    return `${asked} with recurrent layers needs vLLM ${spanText({ since: table.since })}: older releases turn off what keeps their states. To fix it: write engineVersion: "${table.since}" or newer, or remove it.`;
  }
  if (!table.connectors.includes(name)) {
    return `${name} is not known to move the states of recurrent layers, and vLLM does not start such a model with a connector that cannot. To fix it: name one of ${table.connectors.join(", ")}, or none.`;
  }
  if (!isNixl) {
    return undefined;
  }
  const unsent = variantsOf(architecture).find((variant) => !isSent(variant, version));
  if (unsent !== undefined) {
    return `${asked}: vLLM ${version} sends no states of its ${unsent} layers. To fix it: remove ${own.prefillDecode ? "vllm.prefillDecode" : "args.kv-transfer-config"}.`;
  }
  const layout = env[NIXL_STATE_LAYOUT.name] ?? (own.prefillDecode ? NIXL_STATE_LAYOUT.value : undefined);
  return layout === NIXL_STATE_LAYOUT.value
    ? undefined
    : `${asked} sends states in the layout ${NIXL_STATE_LAYOUT.value} alone. To fix it: write env: {${NIXL_STATE_LAYOUT.name}: ${NIXL_STATE_LAYOUT.value}}.`;
}

function isSent(variant: RecurrentMixer["variant"], version: string): boolean {
  const since = nixlSince[variant];
  return since !== undefined && compareVersions(version, since) >= 0;
}

function variantsOf({ layerSpecs }: ModelArchitecture): RecurrentMixer["variant"][] {
  return layerSpecs.flatMap((layer) =>
    mixersOf(layer).flatMap((mixer) => (mixer.kind === "recurrent" ? [mixer.variant] : [])),
  );
}
