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

/** What a token allows: `read` answers questions, `pull` asks for models, `infer` for answers, `operate` changes anything. */
type Scope = "read" | "pull" | "infer" | "operate";

/** Somebody with a token. To replace one: `pulumi up --replace '<urn of its RandomPassword>'`; the API needs no restart. */
interface Owner {
  /** As the API's log, and the name of the Secret, have it. */
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** Whose answers it finds. @default its own */
  readonly tenant?: string;
  /** The models that it may have answer. @default all */
  readonly models?: readonly string[];
}

const OWNERS: readonly Owner[] = [
  { id: "operator", scopes: ["read", "operate"] },
  { id: "viewer", scopes: ["read"] },
  { id: WARM_MODELS, scopes: ["read", "pull"] },
];

/** Who asks for answers, and is nobody's consumer. */
export const INFERENCE_CLIENTS = "inference";

/** Key of the token in its owner's Secret. */
export const TOKEN_KEY = "token";

/** Name of the Secret with an owner's token. */
export function tokenSecretName(owner: string): string {
  return `token-${owner}`;
}

/** Those who may ask for answers: one for whoever the platform's people give it to, and one for each consumer. */
function askers({ fetch, tenants = [] }: InferenceArgs): Owner[] {
  const scopes: readonly Scope[] = fetch ? ["infer", "pull"] : ["infer"];
  return [
    { id: INFERENCE_CLIENTS, scopes },
    ...tenants.map(({ name, models }): Owner => {
      const id = `${INFERENCE_CLIENTS}-${name}`;
      // Who is kept to planned models has none fetched.
      return models ? { id, scopes: ["infer"], tenant: name, models } : { id, scopes, tenant: name };
    }),
  ];
}

export interface ApiTokensArgs {
  readonly namespace: pulumi.Input<string>;
  /** @default nobody asks for answers */
  readonly inference?: InferenceArgs;
}

const HASHES = "api-tokens";

/** One random token per owner in a Secret of its own, and one Secret with their hashes: the API sees no token. */
export class ApiTokens extends PlatformComponent {
  /** Name of the Secret with the file that the API reads. */
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

/** The API's file of tokens: random enough that a plain hash cannot be guessed back. */
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
