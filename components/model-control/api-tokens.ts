import { createHash } from "node:crypto";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import { MODEL_CONTROL } from "../../names/services";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { API_FILES } from "./api-settings";
import type { InferenceArgs } from "./inference-settings";
import { WARM_MODELS } from "./names";

/**
 * Token scopes: `read` queries, `pull` fetches models, `infer` requests answers, `operate` changes
 * anything.
 */
type Scope = "read" | "pull" | "infer" | "operate";

/**
 * Owner of a token. To replace it: `pulumi up --replace '<urn of its RandomPassword>'`; the API
 * needs no restart.
 */
interface Owner {
  /** Name in the API's log and of the Secret. */
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** Tenant whose answers it can read. @default its own */
  readonly tenant?: string;
  /** Models that it may use. @default all */
  readonly models?: readonly string[];
}

const OWNERS: readonly Owner[] = [
  { id: "operator", scopes: ["read", "operate"] },
  { id: "viewer", scopes: ["read"] },
  { id: WARM_MODELS, scopes: ["read", "pull"] },
];

/** Token owner for inference that is no gateway consumer. */
export const INFERENCE_CLIENTS = "inference";

export const TOKEN_KEY = "token";

export function tokenSecretName(owner: string): string {
  return `token-${owner}`;
}

/** Owners with inference access: one general, and one per consumer. */
function askers({ fetch, tenants = [] }: InferenceArgs): Owner[] {
  const scopes: readonly Scope[] = fetch ? ["infer", "pull"] : ["infer"];
  return [
    { id: INFERENCE_CLIENTS, scopes },
    ...tenants.map(({ name, models }): Owner => {
      const id = `${INFERENCE_CLIENTS}-${name}`;
      // Owners limited to planned models may fetch none.
      return models ? { id, scopes: ["infer"], tenant: name, models } : { id, scopes, tenant: name };
    }),
  ];
}

export interface ApiTokensArgs {
  readonly namespace: pulumi.Input<string>;
  /** @default no inference tokens */
  readonly inference?: InferenceArgs;
}

const HASHES = "api-tokens";

/** One random token per owner in its own Secret, and one Secret with hashes for the API. */
export class ApiTokens extends PlatformComponent {
  readonly hashes: pulumi.Output<string>;

  constructor(name: string, args: ApiTokensArgs, opts?: pulumi.ComponentResourceOptions) {
    super("model-control:ApiTokens", name, opts);
    const owners = [...OWNERS, ...(args.inference ? askers(args.inference) : [])];
    const tokens = owners.map(({ id }) => {
      const token = new random.RandomPassword(
        this.child(`${id}-token`),
        { length: 48, special: false },
        this.childOptions(),
      );
      this.secret(`${id}-secret`, args.namespace, tokenSecretName(id), { [TOKEN_KEY]: token.result });
      return token.result;
    });
    const file = pulumi.all(tokens).apply((values) => tokensFile(owners, values));
    const hashes = this.secret("hashes", args.namespace, HASHES, { [API_FILES.tokens.file]: file });
    this.hashes = named(hashes, HASHES);
    this.registerOutputs({ secrets: owners.map(({ id }) => tokenSecretName(id)) });
  }

  private secret(
    suffix: string,
    namespace: pulumi.Input<string>,
    secretName: string,
    stringData: Record<string, pulumi.Input<string>>,
  ): kubernetes.core.v1.Secret {
    return new kubernetes.core.v1.Secret(
      this.child(suffix),
      {
        metadata: { name: secretName, namespace, labels: standardLabels("api-token", MODEL_CONTROL) },
        type: "Opaque",
        stringData: pulumi.secret(stringData),
      },
      this.childOptions(),
    );
  }
}

/** The API's token file: tokens are random enough for a plain hash. */
function tokensFile(owners: readonly Owner[], tokens: readonly string[]): string {
  const entries = owners.map(({ id, scopes, tenant, models }, i) => ({
    id,
    sha256: createHash("sha256")
      .update(tokens[i] ?? "")
      .digest("hex"),
    scopes,
    tenant,
    models,
  }));
  return JSON.stringify({ tokens: entries });
}
