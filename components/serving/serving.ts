import type * as pulumi from "@pulumi/pulumi";
import { modelNamespaceName } from "../../names/namespaces";
import { guestsOf, hostsOf } from "../../planner/shared-servers";
import type { ModelPlan, Stage } from "../../planner/types";
import type { PoolsReady } from "../core/cluster";
import type { Connection } from "../core/connections";
import { Controller } from "../core/controller";
import type { GpuAccessByVendor } from "../core/gpu-access";
import type { ClusterNetworks } from "../core/network";
import { PlatformComponent } from "../core/platform-component";
import type { ModelStore } from "../storage/model-store";
import type { VolumeClasses } from "../storage/volume-class";
import type { ModelEndpoint } from "./endpoint";
import type { ControlAccess, ModelServerClass, ServerController } from "./model-server";
import { podsAfter } from "./pods-after";
import type { RegistryAccess } from "./registry-access";
import { SERVERS } from "./servers";

export interface ServingArgs {
  readonly models: readonly ModelPlan[];
  /** Undefined if all engines pull from registries. */
  readonly store: ModelStore | undefined;
  readonly cluster: VolumeClasses;
  /** For engines that fetch models. @default the internet */
  readonly registry?: RegistryAccess;
  /** Drives engines on one node. @default none */
  readonly control?: ControlAccess;
  readonly stage: Stage;
  /** GPU driver settings by environment. @default none */
  readonly gpuAccess?: GpuAccessByVendor;
  /** Prerequisites of pods by pool. @default none */
  readonly poolsReady?: PoolsReady;
  /** Keys of external servers, by secret. @default none */
  readonly apiKeys?: Readonly<Record<string, pulumi.Output<string>>>;
}

/** Every model of the environment on its engine, each in a namespace of its own. */
export class Serving extends PlatformComponent {
  /** Where the models answer, for the gateway and for observability; known before anything is deployed. */
  readonly endpoints: readonly ModelEndpoint[];
  /** By the name of the model that is planned on it; without guests, who join another's. */
  readonly servers: Readonly<Record<string, pulumi.Resource>>;

  /** @throws Error when the plan asks of an engine what it cannot do. */
  constructor(name: string, args: ServingArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:Serving", name, opts);
    const { models, stage, gpuAccess = {}, apiKeys = {}, poolsReady = {}, ...shared } = args;
    const controllers = new Map(
      controllersOf(models).map(({ controller }) => [
        controller,
        new Controller(this.child(controller.name), controller.install(stage), this.childOptions()),
      ]),
    );
    const servers = hostsOf(models).map((model): readonly [string, pulumi.Resource] => {
      const Server = serverFor(model);
      const server = new Server(
        this.child(model.name),
        {
          ...shared,
          model,
          guests: guestsOf(model, models),
          registrarKey: registrarKey(model, apiKeys),
          gpu: model.gpuVendor && gpuAccess[model.gpuVendor],
          controller: Server.controller && controllers.get(Server.controller)?.releases,
        },
        this.childOptions({ transformations: podsAfter(poolsReady[model.pool] ?? [], Server.controller?.podsOf) }),
      );
      return [model.name, server];
    });
    this.servers = Object.fromEntries(servers);
    this.endpoints = modelEndpoints(models, args.control);
    this.registerOutputs({ endpoints: this.endpoints });
  }
}

function registrarKey({ node }: ModelPlan, apiKeys: NonNullable<ServingArgs["apiKeys"]>) {
  const { secretKey } = node?.registrar ?? {};
  return secretKey !== undefined && Object.hasOwn(apiKeys, secretKey) ? apiKeys[secretKey] : undefined;
}

/** Guests answer by their own names on the host's Service. */
export function modelEndpoints(models: readonly ModelPlan[], control: ControlAccess | undefined): ModelEndpoint[] {
  const endpoints = hostsOf(models).map((host) => serverFor(host).endpointOf(host, control, guestsOf(host, models)));
  return models.flatMap((model) => {
    const endpoint = endpoints.find((each) => each.model === (model.serverOf ?? model.name));
    return endpoint && model.serverOf !== undefined ? guestOf(endpoint, model) : (endpoint ?? []);
  });
}

function guestOf(host: ModelEndpoint, { name, servedName, task }: ModelPlan): ModelEndpoint {
  const { control: _control, metrics: _metrics, otherNames: _names, node: _node, ...server } = host;
  return { ...server, model: name, servedName, task };
}

/** What the model servers connect to by themselves, and what makes their groups. */
export function servingConnections(
  models: readonly ModelPlan[],
  networks: ClusterNetworks,
  registry: RegistryAccess = {},
): Connection[] {
  return [
    ...controllersOf(models).flatMap(({ controller, served }) => controller.connections(networks, served)),
    ...hostsOf(models).flatMap((model) => serverFor(model).connectionsOf(model, networks, registry)),
  ];
}

/** Kubernetes namespaces of the models, and of what makes their groups. */
export function servingNamespaces(models: readonly ModelPlan[], stage: Stage): string[] {
  return [
    ...controllersOf(models).map(({ controller }) => controller.install(stage).namespace),
    ...hostsOf(models).map(({ name }) => modelNamespaceName(name)),
  ];
}

/** The controllers that these models need, each once, with the models that it makes pods for. */
function controllersOf(models: readonly ModelPlan[]) {
  const wanted = models.flatMap((model) => {
    const { controller } = serverFor(model);
    return controller ? [{ controller, model }] : [];
  });
  return [...new Set(wanted.map(({ controller }) => controller))].map((controller: ServerController) => ({
    controller,
    served: wanted.filter((want) => want.controller === controller).map(({ model }) => model),
  }));
}

function spansNodes(model: ModelPlan): boolean {
  return model.nodesPerReplica > 1;
}

function serverFor(model: ModelPlan): ModelServerClass {
  const { onOneNode, acrossNodes, variants = [] } = SERVERS[model.engine];
  if (!spansNodes(model)) {
    return variants.find(({ serves }) => serves(model))?.server ?? onOneNode;
  }
  if (acrossNodes === undefined) {
    throw new Error(
      `models.${model.name}: ${model.engine} cannot spread a replica over ${model.nodesPerReplica} nodes`,
    );
  }
  return acrossNodes;
}
