import type { ISecurityPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/SecurityPolicy";
import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import type { Tenant } from "../../planner/tenants";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { namedSecret } from "./named-secret";
import { CONSUMER_HEADER, GATEWAY_NAME } from "./names";
import { onlyFor } from "./tenants";
import { HTTPS_LISTENER } from "./traffic";

export interface ApiKeysArgs {
  readonly namespace: pulumi.Input<string>;
  /** Who may call, by name; each gets a key of its own. At least one. */
  readonly consumers: readonly string[];
  /** Keys that some of them have already. @default none */
  readonly ownKeys?: Readonly<Record<string, pulumi.Output<string>>>;
  /** Whether tokens of the issuer count as well: then all routes ask that the caller is a consumer. */
  readonly tokens: boolean;
}

/** Name of the Secret with a consumer's key; the key is under the consumer's name. */
export function consumerSecretName(consumer: string): string {
  return `consumer-${consumer}`;
}

/**
 * Keys of tenants that name a secret, by tenant.
 *
 * @throws Error for a secret that is not set: validation refuses that before.
 */
export function ownKeys(
  tenants: readonly Pick<Tenant, "name" | "secretKey">[],
  apiKeys: Readonly<Record<string, pulumi.Output<string>>> = {},
): Record<string, pulumi.Output<string>> {
  return Object.fromEntries(
    tenants.flatMap(({ name, secretKey }) =>
      secretKey === undefined ? [] : [[name, namedSecret(apiKeys, secretKey, `gateway.consumers.${name}`)] as const],
    ),
  );
}

/**
 * One key per consumer, random unless it has one, and the policy that asks for one on every HTTPS route. Envoy takes it from
 * `Authorization` (and strips the `Bearer ` that OpenAI clients put before it) or from `x-api-key`, and
 * forwards who called instead of the key: engines and their logs never see one.
 *
 * To replace a key: `pulumi up --replace '<urn of its RandomPassword>'`.
 */
export class ApiKeys extends PlatformComponent {
  /** By consumer, as secrets. */
  readonly keys: Readonly<Record<string, pulumi.Output<string>>>;

  constructor(name: string, args: ApiKeysArgs, opts?: pulumi.ComponentResourceOptions) {
    if (args.consumers.length === 0) {
      throw new Error("gateway.consumers is empty: name at least one consumer, or no client can call a model");
    }
    super("gateway:ApiKeys", name, opts);
    const keys = args.consumers.map((consumer) => {
      const options = { length: 48, special: false };
      const { ownKeys = {} } = args;
      const own = Object.hasOwn(ownKeys, consumer) ? ownKeys[consumer] : undefined;
      return [
        consumer,
        own ?? new random.RandomPassword(this.child(`${consumer}-key`), options, this.childOptions()).result,
      ] as const;
    });
    this.keys = Object.fromEntries(keys);
    const secrets = keys.map(
      ([consumer, key]) =>
        new kubernetes.core.v1.Secret(
          this.child(`${consumer}-secret`),
          {
            metadata: {
              name: consumerSecretName(consumer),
              namespace: args.namespace,
              labels: standardLabels("api-key", consumer),
            },
            type: "Opaque",
            stringData: { [consumer]: key },
          },
          this.childOptions(),
        ),
    );
    customResource<ISecurityPolicy>(
      this.child("policy"),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "SecurityPolicy",
        name: GATEWAY_NAME,
        namespace: args.namespace,
        spec: securityPolicySpec(args),
      },
      this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: secrets }),
    );
    this.registerOutputs({ secrets: args.consumers.map(consumerSecretName) });
  }
}

function securityPolicySpec({ consumers, tokens }: ApiKeysArgs): ISecurityPolicy["spec"] {
  return {
    targetRefs: [HTTPS_LISTENER],
    apiKeyAuth: {
      credentialRefs: consumers.map((consumer) => ({ group: "", kind: "Secret", name: consumerSecretName(consumer) })),
      extractFrom: [{ headers: ["Authorization", "x-api-key"] }],
      forwardClientIDHeader: CONSUMER_HEADER,
      sanitize: true,
    },
    ...(tokens && { authorization: onlyFor(consumers) }),
  };
}
