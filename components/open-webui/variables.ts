/** Variables of Open WebUI: those that are always the same, and why, are in catalog/open-webui.json. Pure. */
import { fixedPageVariables } from "../../catalog/open-webui";

/** Sign-in by an OpenID Connect issuer. */
export interface PageSignIn {
  /** The claim `iss` of its tokens; its discovery document is below. */
  readonly issuer: string;
  /** Name of the page at the issuer; its secret is a Pulumi secret. */
  readonly clientId: string;
  /** Role of people who sign in for the first time: `pending` waits until an administrator lets them in. */
  readonly newUsers: "pending" | "user";
}

export interface PageSettings {
  /** Where browsers find the page: `https://<hostname>`. */
  readonly address: string;
  /** Where browsers find it besides, by a forwarded port. @default nowhere */
  readonly forwardedAddress?: string;
  /** E-mail address that the first administrator signs in with. */
  readonly adminEmail: string;
  /** Names of the models, as the gateway knows them. */
  readonly models: readonly string[];
  /** @default people whom an administrator has made, by their passwords */
  readonly signIn?: PageSignIn;
}

/** Port at which the pod's own Envoy leads to the gateway, on the loopback interface alone. */
export const GATEWAY_LINK_PORT = 8081;

/** Variables of the page that are no secrets. */
export function pageVariables(
  { address, forwardedAddress, adminEmail, models, signIn }: PageSettings,
  dataFolder: string,
): Record<string, string> {
  return {
    ...FIXED,
    DATA_DIR: dataFolder,
    WEBUI_URL: address,
    CORS_ALLOW_ORIGIN: [address, ...(forwardedAddress === undefined ? [] : [forwardedAddress])].join(";"),
    WEBUI_ADMIN_EMAIL: adminEmail,
    OPENAI_API_BASE_URLS: `http://127.0.0.1:${GATEWAY_LINK_PORT}/v1`,
    // By index of the address. Without names the page also lists models that do not chat.
    OPENAI_API_CONFIGS: JSON.stringify({ "0": { enable: true, model_ids: models } }),
    ...(signIn ? signInVariables(signIn, address) : { ENABLE_OAUTH: "false", DEFAULT_USER_ROLE: "pending" }),
  };
}

function signInVariables({ issuer, clientId, newUsers }: PageSignIn, address: string): Record<string, string> {
  return {
    ENABLE_OAUTH: "true",
    OPENID_PROVIDER_URL: `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`,
    OAUTH_CLIENT_ID: clientId,
    // The default uses the request's Host, which the issuer does not know for forwarded ports.
    OPENID_REDIRECT_URI: `${address}/oauth/oidc/callback`,
    OAUTH_CODE_CHALLENGE_METHOD: "S256",
    // An account for whom the issuer lets in, with the role below; the page's own form makes none.
    ENABLE_OAUTH_SIGNUP: "true",
    // Otherwise an e-mail address that a user chose at the issuer would open the account of another person.
    OAUTH_MERGE_ACCOUNTS_BY_EMAIL: "false",
    DEFAULT_USER_ROLE: newUsers,
  };
}

const FIXED = Object.fromEntries(fixedPageVariables.map(({ name, value }) => [name, value]));
