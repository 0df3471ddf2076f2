/** What Open WebUI is told: variables of the release in catalog/open-webui.json, which a test holds these to. Pure. */

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
  { address, adminEmail, models, signIn }: PageSettings,
  dataFolder: string,
): Record<string, string> {
  return {
    ...FIXED,
    DATA_DIR: dataFolder,
    WEBUI_URL: address,
    CORS_ALLOW_ORIGIN: address,
    WEBUI_ADMIN_EMAIL: adminEmail,
    OPENAI_API_BASE_URLS: `http://127.0.0.1:${GATEWAY_LINK_PORT}/v1`,
    // By its index among the addresses. Without names the page lists all that the gateway has, models that do not chat among them.
    OPENAI_API_CONFIGS: JSON.stringify({ "0": { enable: true, model_ids: models } }),
    ...(signIn ? signInVariables(signIn) : { ENABLE_OAUTH: "false", DEFAULT_USER_ROLE: "pending" }),
  };
}

function signInVariables({ issuer, clientId, newUsers }: PageSignIn): Record<string, string> {
  return {
    ENABLE_OAUTH: "true",
    OPENID_PROVIDER_URL: `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`,
    OAUTH_CLIENT_ID: clientId,
    OAUTH_CODE_CHALLENGE_METHOD: "S256",
    // An account for whom the issuer lets in, with the role below; the page's own form makes none.
    ENABLE_OAUTH_SIGNUP: "true",
    // Whoever can choose an e-mail address at the issuer would be that person here.
    OAUTH_MERGE_ACCOUNTS_BY_EMAIL: "false",
    DEFAULT_USER_ROLE: newUsers,
  };
}

const FIXED = {
  // What an administrator changes on the page would outlive each deployment and win over these, from the database.
  ENABLE_PERSISTENT_CONFIG: "false",
  ENABLE_OAUTH_PERSISTENT_CONFIG: "false",
  // The slim image: no models of its own, which would be fetched from the internet or hidden by the volume.
  USE_SLIM_DOCKER: "true",

  WEBUI_AUTH: "true",
  ENABLE_SIGNUP: "false",
  ENABLE_INITIAL_ADMIN_SIGNUP: "false",
  ENABLE_API_KEYS: "false",
  WEBUI_SESSION_COOKIE_SECURE: "true",
  WEBUI_AUTH_COOKIE_SECURE: "true",
  // All models that the page's consumer may call are there for all who are signed in.
  BYPASS_MODEL_ACCESS_CONTROL: "true",
  // People's chats are their own.
  ENABLE_ADMIN_CHAT_ACCESS: "false",

  // Nothing is asked of the internet: versions, models, telemetry, packages of tools, communities.
  OFFLINE_MODE: "true",
  ENABLE_VERSION_UPDATE_CHECK: "false",
  ENABLE_PIP_INSTALL_FRONTMATTER_REQUIREMENTS: "false",
  ENABLE_COMMUNITY_SHARING: "false",
  ENABLE_WEB_SEARCH: "false",
  ENABLE_DIRECT_CONNECTIONS: "false",
  ENABLE_OTEL: "false",
  ENABLE_OLLAMA_API: "false",
  ENABLE_CODE_EXECUTION: "false",
  ENABLE_CODE_INTERPRETER: "false",
  // A document goes into the prompt as it is: no model for embeddings.
  BYPASS_EMBEDDING_AND_RETRIEVAL: "true",

  // Speech and images.
  ENABLE_IMAGE_GENERATION: "false",
  USER_PERMISSIONS_CHAT_STT: "false",
  USER_PERMISSIONS_CHAT_TTS: "false",
  USER_PERMISSIONS_CHAT_CALL: "false",
  USER_PERMISSIONS_FEATURES_IMAGE_GENERATION: "false",

  // A title for each chat; else one request to a model for each message.
  ENABLE_TAGS_GENERATION: "false",
  ENABLE_FOLLOW_UP_GENERATION: "false",
  ENABLE_AUTOCOMPLETE_GENERATION: "false",

  PORT: "8080",
  // Where the image's root is read-only.
  STATIC_DIR: "/tmp/static",
} as const;
