import { createHash } from "node:crypto";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import { MODEL_CONTROL } from "../../names/services";
import { PlatformComponent } from "../core/platform-component";
import { API_FILES } from "./api-settings";
import { WARM_MODELS } from "./names";

/** What a token allows: `read` answers questions, `pull` asks for models, `operate` changes anything. */
type Scope = "read" | "pull" | "operate";

/** Who has a token. To replace one: `pulumi up --replace '<urn of its RandomPassword>'`; the API needs no restart. */
const TOKEN_SCOPES = {
  operator: ["read", "operate"],
  viewer: ["read"],
  [WARM_MODELS]: ["read", "pull"],
} as const satisfies Record<string, readonly Scope[]>;

export type TokenOwner = keyof typeof TOKEN_SCOPES;

/** Key of the token in its owner's Secret. */
export const TOKEN_KEY = "token";

/** Name of the Secret with an owner's token. */
export function tokenSecretName(owner: TokenOwner): string {
  return `token-${owner}`;
}

export interface ApiTokensArgs {
  readonly namespace: pulumi.Input<string>;
}

/** One random token per owner in a Secret of its own, and one Secret with their hashes: the API sees no token. */
export class ApiTokens extends PlatformComponent {
  /** Name of the Secret with the file that the API reads. */
  readonly hashes: pulumi.Output<string>;

  constructor(name: string, args: ApiTokensArgs, opts?: pulumi.ComponentResourceOptions) {
    super("model-control:ApiTokens", name, opts);
    const owners = Object.keys(TOKEN_SCOPES) as TokenOwner[];
    const tokens = owners.map((owner) => {
      const token = new random.RandomPassword(
        this.child(`${owner}-token`),
        { length: 48, special: false },
        this.childOptions(),
      );
      this.secret(`${owner}-secret`, args.namespace, tokenSecretName(owner), { [TOKEN_KEY]: token.result });
      return token.result;
    });
    const file = pulumi.all(tokens).apply((values) => tokensFile(owners, values));
    this.hashes = this.secret("hashes", args.namespace, "api-tokens", { [API_FILES.tokens.file]: file }).metadata.name;
    this.registerOutputs({ secrets: owners.map(tokenSecretName) });
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
function tokensFile(owners: readonly TokenOwner[], tokens: readonly string[]): string {
  const entries = owners.map((owner, i) => ({
    id: owner,
    sha256: createHash("sha256")
      .update(tokens[i] ?? "")
      .digest("hex"),
    scopes: TOKEN_SCOPES[owner],
  }));
  return JSON.stringify({ tokens: entries });
}
