import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import type { IClientTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy";
import type { IEnvoyProxy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/EnvoyProxy";
import type { IGateway } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/Gateway";
import type { IGatewayClass } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/GatewayClass";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { type ExistingController, GATEWAY_CONTROLLER } from "../../names/envoy-gateway";
import type { Labels } from "../../names/labels";
import { kserveRouteName } from "../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { TraceReceiver } from "../../names/trace-receiver";
import type { Sessions } from "../../planner/affinity";
import type { GatewayLimits } from "../../planner/gateway-limits";
import type { ServerGroupPlan } from "../../planner/inference-nodes";
import { quotasOf } from "../../planner/quotas";
import type { RequestTimes } from "../../planner/request-times";
import type { FreeRequests } from "../../planner/shedding";
import type { Tenant, TokenIssuer } from "../../planner/tenants";
import type { Stage } from "../../planner/types";
import { customResource } from "../core/custom-resource";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { PlatformComponent } from "../core/platform-component";
import { type ModelEndpoint, speaksOpenAi } from "../serving/endpoint";
import { gatewayAddress } from "./address";
import { GATEWAY_CONFIG_ANNOTATION, type IGatewayConfig } from "./ai-gateway-types";
import { ApiKeys, consumerSecretName, ownKeys } from "./api-keys";
import { GatewayCertificate, type GatewayTls } from "./certificate";
import type { GatewayControllers } from "./gateway-controllers";
import { GroupHealth, healthRouteName } from "./group-health";
import { GrpcRoutes, grpcRouteNames, speaksGrpc } from "./grpc-routes";
import { KserveRoutes, publishedKserve, speaksKserveAlone } from "./kserve-routes";
import { gatewaySpec, redirectSpec } from "./listeners";
import { ModelRoutes, pathRouteName } from "./model-routes";
import { GATEWAY_NAME } from "./names";
import { OutsideKeys } from "./outside-access";
import { type Exposure, envoyProxySpec, gatewayConfigSpec, proxyReplicas } from "./proxy-pods";
import { TRACES_BACKEND, tracesBackendSpec } from "./proxy-tracing";
import { type OutsidePublished, publishedEndpoints } from "./published";
import { ownApiRouteNames, type RunTimeModels, RunTimeRoutes } from "./run-time-models";
import { kserveGroups, outsideGroups, publishedGroups } from "./server-groups";
import { type GatewayService, ServiceRoutes, serviceClientTraffic } from "./service-routes";
import { callerScript, publishedModels, Tenants } from "./tenants";
import { Tokens } from "./tokens";
import {
  backendTrafficSpec,
  clientTrafficSpec,
  plainClientTrafficSpec,
  type RequestLimits,
  serviceBackendTrafficSpec,
} from "./traffic";
import { type GroupUsage, groupUsage, kserveUsage, type ModelUsage, modelUsage } from "./usage";

export interface InferenceGatewayArgs {
  /** What configures the proxies; its custom resources exist only after it. */
  readonly controllers: GatewayControllers;
  /** An Envoy Gateway that the cluster has. @default the platform's */
  readonly existing?: ExistingController | undefined;
  /** Models to publish. Their servers need not run yet. */
  readonly endpoints: readonly ModelEndpoint[];
  /** Servers that others run. @default none */
  readonly outside?: readonly OutsidePublished[];
  /** Server groups. Endpoints say which they are nodes of; servers outside do not. @default none */
  readonly groups?: readonly ServerGroupPlan[];
  /** Keys that these ask for, and those that consumers have already, by the names of the secrets. @default none */
  readonly apiKeys?: Readonly<Record<string, pulumi.Output<string>>>;
  /** DNS name that clients use; the certificate is for it. */
  readonly hostname: string;
  /** `NodePort` listens on ports 30443 and 30080 of every node. */
  readonly exposure: Exposure;
  /** Settings of a cloud's load balancer, as annotations of the proxies' Service. @default none */
  readonly serviceAnnotations?: Readonly<Record<string, string>>;
  /** Annotations of the namespace for the load balancer's controller. @default nothing */
  readonly namespaceLabels?: Labels;
  /** Address that the load balancer shall have, IPv4. @default whichever the cluster gives it */
  readonly loadBalancerIp?: string;
  /** Whether it sends to the fixed ports of nodes. @default with `NodePort` alone */
  readonly fixedNodePorts?: boolean;
  /** Seconds for which it sends new connections to a proxy that leaves. @default as of network load balancers that ask nodes */
  readonly deregisterSeconds?: number;
  readonly tls: GatewayTls;
  /** Who may call; each gets an API key in a Secret of its own. */
  readonly tenants: readonly Tenant[];
  /** Models whose sessions stay at one replica. @default none */
  readonly sessions?: Sessions;
  /** Header in which clients name their session. @default x-session-id */
  readonly sessionHeader?: string | undefined;
  /** Whose tokens count besides. @default API keys alone count */
  readonly tokenIssuer?: TokenIssuer;
  /** How long requests may take, and who leaves waits for them. */
  readonly times: RequestTimes;
  /** What requests may weigh, and the memory that proxies need for it. */
  readonly limits: GatewayLimits;
  /** What free ones of them may hold of each model. */
  readonly freeRequests: FreeRequests;
  /** Services in addition to the models, at hostnames of their own. @default none */
  readonly services?: readonly GatewayService[];
  /** What answers for models that no route names. @default none: there are the published ones and no others */
  readonly runTimeModels?: RunTimeModels;
  /** Where the proxies report spans of requests. @default nowhere */
  readonly traces?: TraceReceiver | undefined;
  /** Two proxies in production, one in development. */
  readonly stage: Stage;
}

/** One OpenAI-compatible address for all models: TLS, API keys, routing by model, streams that are not cut. */
export class InferenceGateway extends PlatformComponent {
  /** `https://<hostname>`; clients add `/v1`. */
  readonly address: string;
  /** Secret of each consumer's key, in `clients.namespace`; the key is under the consumer's name. */
  readonly consumerSecrets: Readonly<Record<string, string>>;
  /** Key of each consumer, as a secret. */
  readonly consumerKeys: Readonly<Record<string, pulumi.Output<string>>>;
  /** Settings and example call of each model, by its key in the environment. Clients name no canary. */
  readonly models: Readonly<Record<string, ModelUsage>>;
  /** The same of each server group, by its name. */
  readonly groups: Readonly<Record<string, GroupUsage>>;

  constructor(name: string, args: InferenceGatewayArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:InferenceGateway", name, opts);
    const { hostname, stage, tls, services = [] } = args;
    const consumers = args.tenants.map((tenant) => tenant.name);
    const free = args.tenants.filter(({ priority }) => priority === "free").map((tenant) => tenant.name);
    const { outside: servers = [] } = args;
    const openAi = args.endpoints.filter(speaksOpenAi);
    const kserveModels = args.endpoints.filter(speaksKserveAlone);
    const groups = {
      openAi: publishedGroups(openAi),
      kserve: kserveGroups(kserveModels),
      outside: outsideGroups(args.groups ?? [], servers),
    };
    const withHealth = [...groups.openAi, ...groups.kserve, ...groups.outside];
    const outside = [...servers, ...groups.outside];
    const published = [...publishedEndpoints(openAi), ...groups.openAi, ...outside];
    const kserve = [...publishedKserve(kserveModels), ...groups.kserve];
    const grpc = args.endpoints.filter(speaksGrpc);
    const { sessions = new Map(), sessionHeader } = args;
    const serviceListeners = services.map((service) => service.name);
    const limits: RequestLimits = { ...args.times, ...args.limits };
    const pods = { stage, memoryGiB: args.limits.proxyMemoryGiB };

    const { namespace } = new IsolatedNamespace(
      this.child("namespace"),
      { namespace: GATEWAY_NAMESPACE, ...(args.namespaceLabels && { labels: args.namespaceLabels }) },
      this.childOptions(),
    );
    const children = this.childOptions<pulumi.ComponentResourceOptions>({
      dependsOn: [...args.controllers.releases],
    });

    new GatewayCertificate(this.child("certificate"), { namespace, hostname, services, tls }, children);
    const tokens = args.tokenIssuer !== undefined;
    const byModel = published.some(({ names }) => names.length > 0) || args.runTimeModels !== undefined;
    const keys = new ApiKeys(
      this.child("keys"),
      { namespace, consumers, ownKeys: ownKeys(args.tenants, args.apiKeys), tokens },
      children,
    );
    // A key is always a consumer's; a token may be of anybody whom its issuer knows.
    const script = callerScript(tokens ? consumers : undefined);
    const tenants = new Tenants(
      this.child("tenants"),
      {
        namespace,
        tenants: args.tenants,
        models: publishedModels(args.endpoints, servers, withHealth),
        callerScript: script,
      },
      children,
    );

    if (args.existing?.gatewayClass === undefined) {
      customResource<IGatewayClass>(
        this.child("class"),
        {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "GatewayClass",
          name: GATEWAY_NAME,
          spec: { controllerName: args.existing?.controllerName ?? GATEWAY_CONTROLLER },
        },
        children,
      );
    }
    const traces =
      args.traces &&
      customResource<IBackend>(
        this.child("traces"),
        {
          apiVersion: "gateway.envoyproxy.io/v1alpha1",
          kind: "Backend",
          name: TRACES_BACKEND,
          namespace,
          spec: tracesBackendSpec(args.traces),
        },
        children,
      );
    const proxies = customResource<IEnvoyProxy>(
      this.child("proxies"),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "EnvoyProxy",
        name: GATEWAY_NAME,
        namespace,
        spec: envoyProxySpec({
          ...pods,
          drainSeconds: args.times.drainSeconds,
          exposure: args.exposure,
          serviceAnnotations: args.serviceAnnotations,
          loadBalancerIp: args.loadBalancerIp,
          fixedNodePorts: args.fixedNodePorts,
          deregisterSeconds: args.deregisterSeconds,
          traces: args.traces,
        }),
      },
      children,
    );
    const filter = customResource<IGatewayConfig>(
      this.child("filter"),
      {
        apiVersion: "aigateway.envoyproxy.io/v1beta1",
        kind: "GatewayConfig",
        name: GATEWAY_NAME,
        namespace,
        spec: gatewayConfigSpec(pods),
      },
      children,
    );
    const clientTraffic = (suffix: string, name: string, spec: IClientTrafficPolicy["spec"]) =>
      customResource<IClientTrafficPolicy>(
        this.child(suffix),
        { apiVersion: "gateway.envoyproxy.io/v1alpha1", kind: "ClientTrafficPolicy", name, namespace, spec },
        children,
      );
    const backendTraffic = (suffix: string, name: string, spec: IBackendTrafficPolicy["spec"]) =>
      customResource<IBackendTrafficPolicy>(
        this.child(suffix),
        { apiVersion: "gateway.envoyproxy.io/v1alpha1", kind: "BackendTrafficPolicy", name, namespace, spec },
        children,
      );
    const towardsModels = backendTrafficSpec(limits, quotasOf(args.tenants));
    const policies = [
      clientTraffic("client-traffic", GATEWAY_NAME, clientTrafficSpec(limits)),
      backendTraffic("backend-traffic", GATEWAY_NAME, towardsModels),
      clientTraffic("plain-traffic", "plain-http", plainClientTrafficSpec()),
      ...(serviceListeners.length > 0
        ? [backendTraffic("service-backends", "services", serviceBackendTrafficSpec(serviceListeners))]
        : []),
      ...serviceClientTraffic(services).map(({ suffix, name: objectName, spec }) =>
        clientTraffic(suffix, objectName, spec),
      ),
    ];
    // After its policies: the address never answers without keys, not even for the first second.
    const gateway = customResource<IGateway>(
      this.child("gateway"),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "Gateway",
        name: GATEWAY_NAME,
        namespace,
        annotations: { [GATEWAY_CONFIG_ANNOTATION]: GATEWAY_NAME },
        spec: gatewaySpec({ hostname, tls, services, gatewayClass: args.existing?.gatewayClass }),
      },
      this.childOptions<pulumi.CustomResourceOptions>({
        dependsOn: [
          ...args.controllers.releases,
          keys,
          ...tenants.policies,
          ...(traces ? [traces] : []),
          proxies,
          filter,
          ...policies,
        ],
      }),
    );
    const afterGateway = this.childOptions<pulumi.ComponentResourceOptions>({ dependsOn: [gateway] });
    customResource<IHTTPRoute>(
      this.child("redirect"),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        name: "redirect-to-https",
        namespace,
        spec: redirectSpec(args.exposure),
      },
      afterGateway,
    );
    const outsideKeys =
      outside.length > 0
        ? new OutsideKeys(
            this.child("outside"),
            { namespace, servers: outside, apiKeys: args.apiKeys ?? {} },
            this.childOptions<pulumi.ComponentResourceOptions>({ dependsOn: [...args.controllers.releases] }),
          )
        : undefined;
    const asking =
      args.tokenIssuer &&
      new Tokens(
        this.child("tokens"),
        {
          namespace,
          issuer: args.tokenIssuer,
          tenants: args.tenants,
          routes: [
            ...published.map(({ name }) => pathRouteName(name)),
            ...kserve.map((server) => kserveRouteName(server.name)),
            ...withHealth.map((group) => healthRouteName(group.name)),
            ...grpc.flatMap(({ model }) => grpcRouteNames(model)),
            ...ownApiRouteNames(args.runTimeModels),
          ],
          byModel,
        },
        afterGateway,
      );
    const routes = this.childOptions<pulumi.ComponentResourceOptions>({
      dependsOn: [gateway, ...(asking ? [asking.policy] : []), ...(outsideKeys ? [outsideKeys] : [])],
    });
    const { requestTimeoutSeconds } = limits;
    const common = { namespace, sessions, sessionHeader, tokens, requestTimeoutSeconds };
    new ModelRoutes(
      this.child("routes"),
      {
        ...common,
        published,
        callerScript: script,
        refusesUnknown: args.runTimeModels === undefined,
        ...(free.length > 0 && {
          free: { consumers: free, requests: args.freeRequests, proxies: proxyReplicas(stage) },
        }),
      },
      routes,
    );

    if (kserve.length > 0) {
      new KserveRoutes(this.child("kserve"), { ...common, published: kserve }, routes);
    }
    if (withHealth.length > 0) {
      new GroupHealth(
        this.child("health"),
        { namespace, groups: withHealth, tokens, listenerPolicy: towardsModels },
        routes,
      );
    }
    if (grpc.length > 0) {
      new GrpcRoutes(this.child("grpc"), { ...common, endpoints: grpc, listenerPolicy: towardsModels }, routes);
    }
    if (args.runTimeModels) {
      new RunTimeRoutes(
        this.child("run-time"),
        { namespace, models: args.runTimeModels, tokens, requestTimeoutSeconds },
        routes,
      );
    }
    if (services.length > 0) {
      new ServiceRoutes(this.child("services"), { namespace, services }, routes);
    }

    this.address = gatewayAddress(args);
    this.consumerSecrets = Object.fromEntries(consumers.map((consumer) => [consumer, consumerSecretName(consumer)]));
    this.consumerKeys = keys.keys;
    const [firstConsumer = ""] = consumers;
    this.models = Object.fromEntries([
      ...published
        .filter(({ names }) => names.length > 0)
        .map((server) => [server.name, modelUsage(server, args, firstConsumer)] as const),
      ...kserveModels
        .filter(({ revisionOf }) => revisionOf === undefined)
        .map((endpoint) => [endpoint.model, kserveUsage(endpoint, args, firstConsumer)] as const),
    ]);
    const named = (args.groups ?? []).map(({ name: group }) => group);
    this.groups = Object.fromEntries(
      withHealth
        .filter((server) => named.includes(server.name))
        .map((server) => [server.name, groupUsage(server, args, firstConsumer)] as const),
    );
    const { address, consumerSecrets, models } = this;
    this.registerOutputs({ address, consumerSecrets, models, groups: this.groups });
  }
}
