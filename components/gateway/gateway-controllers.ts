import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import type { ExistingController } from "../../names/envoy-gateway";
import { standardLabels } from "../../names/labels";
import { AI_GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import { type AcmeServer, certManagerController } from "../certificates/cert-manager";
import { Controller } from "../core/controller";
import { ONE_AT_A_TIME } from "../core/disruption-budget";
import { PlatformComponent } from "../core/platform-component";
import { replicasOf } from "../core/replicas";
import { AI_GATEWAY_PODS, aiGatewayValues, envoyGatewayValues, SESSION_SEED } from "./controller-values";
import { RateLimitStore } from "./rate-limit-store";

export interface GatewayControllersArgs {
  /** Replicas of each controller follow from it: 2 in production, 1 in development. */
  readonly stage: Stage;
  /** @default the platform installs Envoy Gateway */
  readonly existing?: ExistingController | undefined;
  /**
   * `platform` installs cert-manager. `present`: the cluster has it (1.15 or later), with `config.gatewayAPI.enabled`
   * when certificates come from ACME. @default "platform"
   */
  readonly certManager?: "platform" | "present";
  /** Whether a tenant has a quota: then the rate limit service runs, and a store for its counters. @default false */
  readonly countsQuotas?: boolean;
  /** Certificates come from this ACME server, by HTTP-01 challenges through the Gateway. @default they do not */
  readonly acme?: AcmeServer;
}

/** What configures the proxies: Envoy Gateway, Envoy AI Gateway (routing by model) and cert-manager, each in its namespace. */
export class GatewayControllers extends PlatformComponent {
  /** The releases that bring the CRDs and webhooks: every custom resource of the gateway depends on them. */
  readonly releases: readonly pulumi.Resource[];

  constructor(name: string, args: GatewayControllersArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:GatewayControllers", name, opts);
    const { stage, existing, acme, countsQuotas = false } = args;

    // Gateway API and Envoy Gateway CRDs come with this chart. It starts before the extension server that it
    // calls: until that one answers, it keeps the last configuration.
    const envoyGateway = existing
      ? undefined
      : new Controller(
          this.child("envoy-gateway"),
          {
            namespace: ENVOY_GATEWAY_NAMESPACE,
            contents: (namespace) => ({
              // The service starts once its password is there; nothing waits for the store itself.
              needs: countsQuotas ? [this.rateLimitStore(namespace).secret] : [],
              charts: [
                { chart: "gateway-helm", release: "envoy-gateway", values: envoyGatewayValues(stage, countsQuotas) },
              ],
            }),
          },
          this.childOptions(),
        );
    const certManager =
      (args.certManager ?? "platform") === "platform"
        ? new Controller(
            this.child("cert-manager"),
            certManagerController({ stage, acme: acme !== undefined, gatewayApi: envoyGateway?.releases ?? [] }),
            this.childOptions(),
          )
        : undefined;
    const aiGateway = new Controller(
      this.child("ai-gateway"),
      {
        namespace: AI_GATEWAY_NAMESPACE,
        crds: { chart: "ai-gateway-crds-helm", release: "ai-gateway-crds" },
        after: [...(envoyGateway?.releases ?? []), ...(certManager?.releases ?? [])],
        contents: (namespace) => ({
          needs: [this.sessionSeed(namespace), ...this.aiGatewayBudget(namespace, stage)],
          charts: [
            { chart: "ai-gateway-helm", release: "ai-gateway", values: aiGatewayValues(stage, existing?.namespace) },
          ],
        }),
      },
      this.childOptions(),
    );

    this.releases = [...(envoyGateway?.releases ?? []), ...aiGateway.releases, ...(certManager?.releases ?? [])];
    this.registerOutputs({ releases: this.releases.map((release) => release.urn) });
  }

  private rateLimitStore(namespace: pulumi.Output<string>): RateLimitStore {
    return new RateLimitStore(this.child("rate-limit-store"), { namespace }, this.childOptions());
  }

  /** The chart brings none. */
  private aiGatewayBudget(namespace: pulumi.Output<string>, stage: Stage): kubernetes.policy.v1.PodDisruptionBudget[] {
    return replicasOf(stage) < 2
      ? []
      : [
          new kubernetes.policy.v1.PodDisruptionBudget(
            this.child("ai-gateway-budget"),
            {
              metadata: { name: "ai-gateway", namespace, labels: standardLabels("ai-gateway", "budget") },
              spec: { ...ONE_AT_A_TIME, selector: { matchLabels: { ...AI_GATEWAY_PODS } } },
            },
            this.childOptions(),
          ),
        ];
  }

  private sessionSeed(namespace: pulumi.Output<string>): kubernetes.core.v1.Secret {
    const seed = new random.RandomPassword(
      this.child("session-seed"),
      { length: 48, special: false },
      this.childOptions(),
    );
    return new kubernetes.core.v1.Secret(
      this.child("session"),
      {
        metadata: { name: SESSION_SEED.secret, namespace, labels: standardLabels("ai-gateway", "session") },
        type: "Opaque",
        stringData: { [SESSION_SEED.variable]: seed.result },
      },
      this.childOptions(),
    );
  }
}
