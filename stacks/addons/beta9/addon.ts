import { beta9Connections } from "../../../components/beta9/connections";
import { BETA9_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { beta9Secrets, beta9Section } from "./config";
import { beta9Problems } from "./problems";
import * as rules from "./rules";

const PUBLIC_DEFAULT = "Beta9's own default is public";

/** Beta9, a serverless GPU runtime next to models. */
export const beta9 = addon({
  key: "beta9",
  section: beta9Section,
  secrets: beta9Secrets,
  requiredSecrets: { beta9PostgresPassword: PUBLIC_DEFAULT, beta9S3SecretKey: PUBLIC_DEFAULT },
  settings: (section) => section,
  volumes: () => ({ volumes: [], notPriced: ["Beta9's image volume"] }),
  rules: [rules.beta9PoolsExist, rules.beta9CpuPoolFits, rules.beta9GpuPoolsFit, rules.beta9StoreIsThere],
  problems: ({ settings, plan }) => beta9Problems(settings, plan),
  namespaces: () => [BETA9_NAMESPACE],
  connections: ({ settings, cluster }) =>
    beta9Connections({ backends: settings, clients: settings.clients, networks: cluster }),
  load: () => import("./build"),
});
