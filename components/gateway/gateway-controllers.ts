import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import type { Stage } from "../../planner/types";
import { chartRelease } from "../core/chart-release";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { standardLabels } from "../core/labels";
import { PlatformComponent } from "../core/platform-component";
import type { AcmeServer } from "./certificate";
import { aiGatewayValues, certManagerValues, envoyGatewayValues, SESSION_SEED } from "./controller-values";
import { AI_GATEWAY_NAMESPACE, CERT_MANAGER_NAMESPACE, ENVOY_GATEWAY_NAMESPACE } from "./names";

export interface GatewayControllersArgs {
  /** Replicas of each controller follow from it: 2 in production, 1 in development. */
  readonly stage: Stage;
  /**
   * `platform` installs cert-manager. `present`: the cluster has it (1.15 or later), with `config.gatewayAPI.enabled`
   * when certificates come from ACME. @default "platform"
   */
  readonly certManager?: "platform" | "present";
  /** Certificates come from this ACME server, by HTTP-01 challenges through the Gateway. @default they do not */
  readonly acme?: AcmeServer;
}

/** What configures the proxies: Envoy Gateway, Envoy AI Gateway (routing by model) and cert-manager, each in its namespace. */
export class GatewayControllers extends PlatformComponent {
  /** The releases that bring the CRDs and webhooks: every custom resource of the gateway depends on them. */
  readonly releases: readonly pulumi.Resource[];

  constructor(name: string, args: GatewayControllersArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:GatewayControllers", name, opts);
    const { stage, acme } = args;

    // Gateway API and Envoy Gateway CRDs come with this chart. It starts before the extension server that it
    // calls: until that one answers, it keeps the last configuration.
    const envoyGateway = this.install("envoy-gateway", {
      namespace: ENVOY_GATEWAY_NAMESPACE,
      chart: "gateway-helm",
      values: envoyGatewayValues(stage),
    });
    const certManager =
      (args.certManager ?? "platform") === "platform"
        ? this.install("cert-manager", {
            namespace: CERT_MANAGER_NAMESPACE,
            chart: "cert-manager",
            values: certManagerValues(stage, acme !== undefined),
            after: [envoyGateway],
          })
        : undefined;

    const seed = new random.RandomPassword(
      this.child("session-seed"),
      { length: 48, special: false },
      this.childOptions(),
    );
    const aiGatewayNamespace = this.isolated("ai-gateway", AI_GATEWAY_NAMESPACE);
    const session = new kubernetes.core.v1.Secret(
      this.child("session"),
      {
        metadata: {
          name: SESSION_SEED.secret,
          namespace: aiGatewayNamespace.namespace,
          labels: standardLabels("ai-gateway", "session"),
        },
        type: "Opaque",
        stringData: { [SESSION_SEED.variable]: seed.result },
      },
      this.childOptions(),
    );
    const aiGatewayCrds = chartRelease(
      this.child("ai-gateway-crds"),
      {
        chart: "ai-gateway-crds-helm",
        release: "ai-gateway-crds",
        namespace: aiGatewayNamespace.namespace,
        values: {},
      },
      this.childOptions(),
    );
    const aiGateway = chartRelease(
      this.child("ai-gateway"),
      {
        chart: "ai-gateway-helm",
        release: "ai-gateway",
        namespace: aiGatewayNamespace.namespace,
        values: aiGatewayValues(stage),
      },
      this.childOptions<pulumi.CustomResourceOptions>({
        dependsOn: [session, aiGatewayCrds, envoyGateway, ...(certManager ? [certManager] : [])],
      }),
    );

    this.releases = [envoyGateway, aiGatewayCrds, aiGateway, ...(certManager ? [certManager] : [])];
    this.registerOutputs({ releases: this.releases.map((release) => release.urn) });
  }

  private install(suffix: string, args: InstallArgs): pulumi.Resource {
    const { namespace } = this.isolated(suffix, args.namespace);
    return chartRelease(
      this.child(suffix),
      { chart: args.chart, release: suffix, namespace, values: args.values },
      this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [...(args.after ?? [])] }),
    );
  }

  private isolated(suffix: string, namespace: string): IsolatedNamespace {
    return new IsolatedNamespace(this.child(`${suffix}-namespace`), { namespace }, this.childOptions());
  }
}

interface InstallArgs {
  readonly namespace: string;
  readonly chart: string;
  readonly values: Parameters<typeof chartRelease>[1]["values"];
  readonly after?: readonly pulumi.Resource[];
}
