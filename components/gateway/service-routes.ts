import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, CHECKED_BY_SERVICE, standardLabels } from "../../names/labels";
import { serviceFqdn } from "../../names/service-host";
import type { PodSelection } from "../core/connections";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { ANY_PATH, listenerReference, OPEN_REQUEST_SECONDS, seconds, serviceClientTrafficSpec } from "./traffic";

/**
 * A service in addition to the models, at a hostname of its own. The models' API keys neither open it nor are they asked for:
 * it checks its callers itself.
 */
export interface GatewayService {
  /** Also the name of its listener. */
  readonly name: string;
  readonly hostname: string;
  /** Name of its Service, in the namespace of its pods. */
  readonly service: string;
  readonly pods: PodSelection;
  readonly port: number;
  /** Seconds in which a request must have arrived, where people send files. @default 15 */
  readonly receiveSeconds?: number;
}

/** Policies between clients and proxies: one for all services, and one for each whose requests may take longer to arrive. */
export function serviceClientTraffic(services: readonly Pick<GatewayService, "name" | "receiveSeconds">[]) {
  const others = services.filter(({ receiveSeconds }) => receiveSeconds === undefined).map(({ name }) => name);
  return [
    ...(others.length > 0
      ? [{ suffix: "service-traffic", name: "services", spec: serviceClientTrafficSpec(others) }]
      : []),
    ...services.flatMap(({ name, receiveSeconds }) =>
      receiveSeconds === undefined
        ? []
        : [
            {
              suffix: `service-traffic-${name}`,
              name: `service-${name}`,
              spec: serviceClientTrafficSpec([name], receiveSeconds),
            },
          ],
    ),
  ];
}

export interface ServiceRoutesArgs {
  readonly namespace: pulumi.Input<string>;
  readonly services: readonly GatewayService[];
}

/** One route to each service: everything at its hostname. */
export class ServiceRoutes extends PlatformComponent {
  constructor(name: string, { namespace, services }: ServiceRoutesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:ServiceRoutes", name, opts);
    for (const service of services) {
      const objectName = `service-${service.name}`;
      const metadata = { name: objectName, namespace, labels: standardLabels("service-route", service.name) };
      customResource<IBackend>(
        this.child(`backend-${service.name}`),
        {
          apiVersion: "gateway.envoyproxy.io/v1alpha1",
          kind: "Backend",
          ...metadata,
          spec: {
            endpoints: [
              { fqdn: { hostname: serviceFqdn(service.service, service.pods.namespace), port: service.port } },
            ],
          },
        },
        this.childOptions(),
      );
      customResource<IHTTPRoute>(
        this.child(`route-${service.name}`),
        {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "HTTPRoute",
          ...metadata,
          annotations: { [ANNOTATIONS.callers]: CHECKED_BY_SERVICE },
          spec: {
            parentRefs: [listenerReference(service.name)],
            hostnames: [service.hostname],
            rules: [
              {
                matches: [{ path: ANY_PATH }],
                backendRefs: [{ group: "gateway.envoyproxy.io", kind: "Backend", name: objectName, weight: 1 }],
                timeouts: { request: seconds(OPEN_REQUEST_SECONDS) },
              },
            ],
          },
        },
        this.childOptions(),
      );
    }
    this.registerOutputs({});
  }
}
