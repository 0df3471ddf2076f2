import type { StatedPrice } from "../catalog/api-prices";
import { spotShare, unusedReservationShare } from "../catalog/cloud-prices";
import { DEVICE_ACCESS, type FabricAccess, fabricOf } from "../catalog/fabrics";
import { findModel } from "../catalog/models";
import { PREEMPTIBLE_TAINT } from "../catalog/oke";
import { hourlyUsd, type MachineShape } from "../catalog/shapes";
import { isSynchronized } from "../components/storage/store-layout";
import { engineOf } from "../engines";
import type { Adapter } from "../engines/served-model";
import { isMounted, isStored, parseSource } from "../engines/sources";
import { nodeOf } from "../planner/inference-nodes";
import type { ModelArchitecture } from "../planner/model/architecture";
import { poolLabels } from "../planner/pool-labels";
import { groupsOf, prefixCaches } from "../planner/prefix-caches";
import type { ModelRequest, PlanRequest, PoolRequest } from "../planner/request";
import { requestTimes } from "../planner/request-times";
import { SCALED_BY_DEFAULT } from "../planner/scaling";
import { parted } from "../planner/slices";
import type { SpeedMeasurement } from "../planner/speed/measurement";
import { measurementsOf } from "../planner/speed/own-measurement";
import { hubPrefix } from "../planner/storage";
import { nameLimits, tenantsOf } from "../planner/tenants";
import type { CapacityProblem, ExternalModelPlan } from "../planner/types";
import { userSidecars } from "../planner/user-pod";
import { type AddonVolumes, cloudBilling, NO_VOLUMES } from "./cloud-billing";
import {
  buildOf,
  type EnvironmentConfig,
  type ExternalModelConfig,
  ISSUER_AUTHORITIES,
  type ModelConfig,
  machineOf,
  type PoolConfig,
  receiverAuthorityFiles,
  releaseOf,
  requestedSettings,
  roleOf,
  settingsOutcome,
  sourceAuthorityFiles,
  storeBucket,
  storeFolder,
} from "./config";
import { jwksUrl } from "./config/core/jwks-url";
import { placedSource } from "./config/placed-source";
import { isElsewhere, modelSource } from "./model-source";
import { poolPlaces } from "./pool-places";
import { promotionNotes } from "./revisions";
import { serverGroups, sidecarsOf } from "./server-groups";

/** The planner's request for an environment: catalogue names resolved, defaults filled in. */
export function toPlanRequest(
  name: string,
  environment: EnvironmentConfig,
  architectures: ReadonlyMap<string, ModelArchitecture>,
  chatTemplates: ReadonlyMap<string, string> = new Map(),
  authorities: ReadonlyMap<string, string> = new Map(),
  addonVolumes: AddonVolumes = NO_VOLUMES,
  measurements: readonly SpeedMeasurement[] = [],
): PlanRequest {
  const billing = cloudBilling(environment, addonVolumes);
  const groups = serverGroups(environment.nodes, authorities);
  const tenants = tenantsOf(environment.gateway.consumers, environment.models);
  const share = groupsOf(environment.gateway.prefixCaches?.share);
  const besides = sidecarsOf(environment.mesh);
  return {
    environment: name,
    stage: environment.stage,
    pools: Object.entries(environment.pools).map(([pool, config]) => poolRequest(pool, config, environment)),
    models: Object.entries(environment.models).map(([model, config]) => {
      const architecture = architectures.get(model);
      if (!architecture) {
        throw new Error(`the architecture of model "${model}" was not read`);
      }
      const request = {
        ...withOutcome(
          config,
          modelRequest(model, config, architecture, chatTemplates.get(model), environment.storage),
        ),
        ...withOwn(config.pod, besides(nodeOf(groups, { name: model, ...config }))),
      };
      const { current, stale } = measurementsOf(request, measurements);
      const notes = [...promotionNotes(request, environment.models), ...staleNotes(request, current, stale)];
      const engine = engineOf(request.engine);
      const parts = prefixCaches(request.revisionOf?.model ?? model, tenants, share);
      const caches = engine.prefixReuse(request) === "salted" ? parts : undefined;
      const namedImages =
        parts !== undefined &&
        caches === undefined &&
        architecture.vision !== undefined &&
        engine.reusesImages?.(request) === true;
      const limits = nameLimits(request.revisionOf?.model ?? model, tenants);
      return {
        ...request,
        ...(caches && { prefixCaches: caches }),
        ...(namedImages && { namedImages }),
        ...(limits && { nameLimits: limits }),
        ...(current.length > 0 && { measurements: current }),
        ...(notes.length > 0 && { notes: [...(request.notes ?? []), ...notes] }),
      };
    }),
    externalModels: Object.entries(environment.externalModels).map(([model, config]) =>
      externalModel(model, config, authorities.get(model)),
    ),
    groups,
    ...(environment.mesh.mode !== "off" && { mesh: environment.mesh.mode }),
    tenants,
    ...tokenIssuer(environment, authorities.get(ISSUER_AUTHORITIES)),
    ...ofReceivers(environment, authorities),
    ...ofSources(environment, authorities),
    storage: storageRequest(environment.storage),
    drainSeconds: requestTimes(environment.gateway).drainSeconds,
    ...(environment.budget && { monthlyBudgetUsd: environment.budget.monthlyUsd }),
    apiPrices: statedPrices(environment),
    ...(billing && { billing }),
  };
}

function storageRequest({ backend, ...storage }: EnvironmentConfig["storage"]): PlanRequest["storage"] {
  const elsewhere = typeof backend === "object" ? "bucket" : backend === "none" ? "none" : undefined;
  return { ...storage, bucket: storeBucket({ ...storage, backend }), ...(elsewhere && { backend: elsewhere }) };
}

function statedPrices({ apiPrices }: EnvironmentConfig): StatedPrice[] {
  return Object.entries(apiPrices).flatMap(([model, providers]) =>
    Object.entries(providers).map(([provider, { inputUsdPerMillion, outputUsdPerMillion, asOf, offer = model }]) => ({
      model,
      provider,
      offer,
      inputUsdPerMillion,
      outputUsdPerMillion,
      asOf: asOf.slice(0, "2026-11-20".length),
      source: "apiPrices of the environment",
    })),
  );
}

/** Sidecars, including the user's. */
function withOwn(pod: ModelConfig["pod"], besides: Pick<ModelRequest, "node" | "sidecars">) {
  return pod ? { ...besides, sidecars: [...(besides.sidecars ?? []), ...userSidecars(pod)], pod } : besides;
}

/** Measurements of other versions do not apply: the speed may differ by a factor of two. */
function staleNotes(
  { engine, engineVersion }: ModelRequest,
  current: readonly SpeedMeasurement[],
  stale: readonly SpeedMeasurement[],
): string[] {
  const versions = [...new Set(stale.map((each) => each.engineVersion))].sort();
  return current.length > 0 || versions.length === 0
    ? []
    : [
        `its speed was measured with ${engine} ${versions.join(", ")}, which does not count for ${engineVersion}: measure again (npm run measure)`,
      ];
}

function tokenIssuer(
  { gateway }: EnvironmentConfig,
  authorities: string | undefined,
): Pick<PlanRequest, "tokenIssuer"> {
  const { oidc } = gateway.auth ?? {};
  const url = oidc && jwksUrl(oidc);
  if (oidc === undefined || url === undefined) {
    return {};
  }
  const { issuer, audience, tenantClaim, networks, caFile } = oidc;
  return {
    tokenIssuer: {
      issuer,
      audience,
      tenantClaim,
      jwks: { url, ...(networks && { networks }) },
      ...(caFile !== undefined && authorities !== undefined && { authorities: { file: caFile, text: authorities } }),
    },
  };
}

function ofReceivers(
  environment: EnvironmentConfig,
  authorities: ReadonlyMap<string, string>,
): Pick<PlanRequest, "receiverAuthorities"> {
  const named = receiverAuthorityFiles(environment).flatMap(({ kind, model }) => {
    const text = authorities.get(model);
    return text === undefined ? [] : [[kind, text] as const];
  });
  return named.length === 0 ? {} : { receiverAuthorities: Object.fromEntries(named) };
}

function ofSources(
  environment: EnvironmentConfig,
  authorities: ReadonlyMap<string, string>,
): Pick<PlanRequest, "sourceAuthorities"> {
  const named = sourceAuthorityFiles(environment).flatMap(({ model }) => {
    const text = authorities.get(model);
    return text === undefined ? [] : [[model, text] as const];
  });
  return named.length === 0 ? {} : { sourceAuthorities: Object.fromEntries(named) };
}

function externalModel(
  name: string,
  { servedName = name, task, external }: ExternalModelConfig,
  authorities: string | undefined,
): ExternalModelPlan {
  const { url, model, secretKey, networks, caFile, healthPath } = external;
  return {
    name,
    servedName,
    task,
    url,
    modelThere: model ?? servedName,
    healthPath: healthPath ?? `${new URL(url).pathname.replace(/\/+$/, "")}/models`,
    ...(secretKey !== undefined && { secretKey }),
    ...(networks && { networks }),
    ...(caFile !== undefined && authorities !== undefined && { authorities: { file: caFile, text: authorities } }),
  };
}

function poolRequest(
  name: string,
  config: PoolConfig,
  { models, cluster }: Pick<EnvironmentConfig, "models" | "cluster">,
): PoolRequest {
  const isMade = cluster.provision !== "existing";
  const machine = machineOf(config);
  const shape = parted(machine, config.sharing);
  const rdmaAccess = fabricAccess(config, machine);
  const { dedicatedTo = [] } = config;
  const canaries = Object.keys(models).filter((model) => dedicatedTo.includes(models[model]?.revisionOf?.model ?? ""));
  return {
    name,
    role: roleOf(config, shape),
    shape,
    minNodes: config.minNodes,
    maxNodes: config.maxNodes ?? Math.max(1, config.minNodes),
    ...nodePrice(config, shape),
    hoursPerDay: config.hoursPerDay,
    ...(config.bootVolumeGiB !== undefined && { bootVolumeGiB: config.bootVolumeGiB }),
    dedicatedTo: [...dedicatedTo, ...canaries],
    ownTaints: [
      // Amazon does not taint spot nodes.
      ...(config.capacity === "spot" && shape.provider === "oci" ? [PREEMPTIBLE_TAINT] : []),
      ...(config.taints ?? []).map(({ key, value, effect }) => ({
        key,
        effect,
        ...(value !== undefined && { value }),
      })),
    ],
    ...(rdmaAccess && { rdmaAccess }),
    ...(config.rdma?.topologyLabel !== undefined && { rdmaTopologyLabel: config.rdma.topologyLabel }),
    ...(config.sharing && { sharing: config.sharing, wholeShape: machine }),
    nodesMadeHere: isMade,
    ...(config.numa && { numa: config.numa }),
    ...(config.confidential && { confidential: true }),
    localDisks: isMade && usesLocalDisks(config, machine),
    ...poolPlaces(config, cluster),
    ...poolLabels(name, shape, config.labels, config.sharing),
  };
}

/** With provisioned nodes and RDMA, pods get its devices by default. */
function fabricAccess({ rdma }: PoolConfig, { name }: MachineShape): FabricAccess | undefined {
  const kind = fabricOf(name)?.kind;
  return rdma?.access ?? (rdma?.mode && kind && DEVICE_ACCESS[kind]);
}

/** Cloud machines boot from another disk; own machines have one for everything. */
function usesLocalDisks({ localDisks = "pods" }: PoolConfig, { localNvmeGB, provider }: MachineShape): boolean {
  return localDisks === "pods" && localNvmeGB > 0 && provider !== "onprem";
}

/** With the reason for differing from the list price. */
function nodePrice(
  { usdPerNodeHour, capacity }: PoolConfig,
  shape: MachineShape,
): Pick<PoolRequest, "usdPerNodeHour" | "priceNote"> {
  const listed = hourlyUsd(shape) ?? 0;
  if (usdPerNodeHour !== undefined) {
    return { usdPerNodeHour };
  }
  const spot = capacity === "spot" ? spotShare(shape.provider) : undefined;
  if (spot) {
    const priceNote = `spot: ${spot.share * 100} % of the list price (${spot.asOf}: ${spot.source})`;
    return { usdPerNodeHour: listed * spot.share, priceNote };
  }
  const unused = typeof capacity === "object" ? unusedReservationShare(shape.provider) : undefined;
  return {
    usdPerNodeHour: listed,
    ...(unused && {
      priceNote: `what the reservation holds beyond these nodes costs ${unused.share * 100} % of the list price, and is not counted`,
    }),
    ...(capacity === "spot" && {
      priceNote: "spot, at the list price of machines on demand: its own moves by the hour",
    }),
    ...(typeof capacity === "object" &&
      "capacityBlock" in capacity && {
        priceNote:
          "at the list price of machines on demand: a capacity block is paid for when it is bought, at its own",
      }),
  };
}

function modelRequest(
  name: string,
  config: ModelConfig,
  architecture: ModelArchitecture,
  chatTemplate: string | undefined,
  storage: EnvironmentConfig["storage"],
): ModelRequest {
  const entry = config.model === undefined ? undefined : findModel(config.model);
  const build = entry && buildOf(entry, config);
  const source = placedSource(modelSource(name, config), storage);
  const { formatNamed, defaultQuantization } = engineOf(config.engine);
  const quantization =
    config.quantization ?? build?.quantization ?? formatNamed?.(source)?.quantization ?? defaultQuantization;
  const { chatTemplate: file, growsGpuMemory: _, ...requested } = requestedSettings(config);
  const folder = source.kind === "huggingface" ? storeFolder(name, config, source) : undefined;
  return {
    name,
    servedName: config.servedName ?? name,
    ...(config.aliases && { aliases: config.aliases }),
    engine: config.engine,
    engineVersion: releaseOf(config),
    ...(config.image && { image: config.image }),
    task: config.task ?? entry?.task ?? "chat",
    ...(config.domain !== undefined && { domain: config.domain }),
    ...(config.revisionOf && { revisionOf: config.revisionOf }),
    architecture,
    source,
    ...(folder !== undefined && folder !== hubPrefix(name, config.domain) && { storeFolder: folder }),
    ...(entry && isElsewhere(source, entry) && { configIsOfAnotherSource: true }),
    contextTokens: config.contextTokens,
    concurrency: config.concurrency,
    minReplicas: config.replicas.min,
    maxReplicas: config.replicas.max,
    ...(config.replicas.max > config.replicas.min && { scaling: config.scaling ?? SCALED_BY_DEFAULT }),
    ...(config.serviceLevel && { serviceLevel: config.serviceLevel }),
    ...(config.traffic && { traffic: config.traffic }),
    ...(config.derived && { derived: config.derived }),
    ...(config.pools && { pools: config.pools }),
    ...requested,
    ...(isMounted(source) && { loading: "mount" as const }),
    ...(storage.nodeCacheGiB !== undefined &&
      requested.loading === "copy" &&
      engineOf(config.engine).weightsFrom === "store" &&
      isSynchronized({ source }) && { loading: "cache" as const }),
    ...(config.adapters && { adapters: Object.entries(config.adapters).map(adapterRequest) }),
    ...(quantization !== undefined && { quantization }),
    ...(config.args && { args: config.args }),
    ...(config.env && { env: Object.fromEntries(Object.entries(config.env).map(variable)) }),
    ...(file !== undefined && chatTemplate !== undefined && { chatTemplate: { file, text: chatTemplate } }),
  };
}

function adapterRequest([name, { source: text, rank }]: [
  string,
  { readonly source: string; readonly rank?: number | undefined },
]): Adapter {
  const source = parseSource(text);
  if (source === undefined || !isStored(source)) {
    throw new Error(`adapter ${name}: "${text}" is no source`);
  }
  return { name, source, ...(rank !== undefined && { rank }) };
}

/** With the engine's evaluation of its block. The user's values win. */
function withOutcome(config: ModelConfig, request: ModelRequest): ModelRequest {
  const outcome = settingsOutcome(config, request);
  const args = { ...outcome.args, ...request.args };
  const notes = [...(request.notes ?? []), ...outcome.notes];
  return {
    ...request,
    ...(outcome.engineSettings && { engineSettings: { ...request.engineSettings, ...outcome.engineSettings } }),
    ...(Object.keys(args).length > 0 && { args }),
    ...(notes.length > 0 && { notes }),
  };
}

/** Engine block settings that models cannot or might not get. */
export function settingProblems(
  models: Readonly<Record<string, ModelConfig>>,
  requests: readonly ModelRequest[],
): CapacityProblem[] {
  return requests.flatMap((request) => {
    const config = models[request.name];
    if (config === undefined) {
      return [];
    }
    const { problems, advice = [] } = settingsOutcome(config, request);
    const subject = `models.${request.name}`;
    return [
      ...problems.map((problem): CapacityProblem => ({ severity: "mandatory", ...problem, subject })),
      ...advice.map((problem): CapacityProblem => ({ severity: "advisory", ...problem, subject })),
    ];
  });
}

/** Engines read switches as numbers; some do not accept "true". */
function variable([name, value]: [string, string | number | boolean]): [string, string] {
  return [name, String(typeof value === "boolean" ? Number(value) : value)];
}
