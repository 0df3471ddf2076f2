/** Constant variables are in catalog/open-webui.json. */
import { fixedPageVariables } from "../../catalog/open-webui";

/** Sign-in by an OpenID Connect issuer. */
export interface PageSignIn {
  /** Token claim `iss`. */
  readonly issuer: string;
  /** Name of the page at the issuer; its secret is a Pulumi secret. */
  readonly clientId: string;
  /** Role of new users: `pending` waits for an administrator. */
  readonly newUsers: "pending" | "user";
}

export interface PageSettings {
  /** Where browsers find the page: `https://<hostname>`. */
  readonly address: string;
  /** Additional address by a port-forward. @default none */
  readonly forwardedAddress?: string;
  /** E-mail address that the first administrator signs in with. */
  readonly adminEmail: string;
  /** Names of the models, as the gateway knows them. */
  readonly models: readonly string[];
  /** @default accounts by administrators, with passwords */
  readonly signIn?: PageSignIn;
}

/** The pod's Envoy to the gateway, on loopback. */
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
    // The issuer's users get accounts; the sign-up form is disabled.
    ENABLE_OAUTH_SIGNUP: "true",
    // Otherwise a chosen e-mail address would open another account.
    OAUTH_MERGE_ACCOUNTS_BY_EMAIL: "false",
    DEFAULT_USER_ROLE: newUsers,
  };
}

const FIXED = Object.fromEntries(fixedPageVariables.map(({ name, value }) => [name, value]));
