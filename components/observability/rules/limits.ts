/** Where alerts begin: rules compare with these, and dashboards draw them. */

/** Share of a KV cache in use. */
export const KV_CACHE_LIMIT = 0.9;
/** Share of the gateway's answers that are 5xx. */
export const GATEWAY_ERROR_LIMIT = 0.05;
/** Round trip from the gateway to an engine, milliseconds. */
export const ROUND_TRIP_LIMIT_MS = 5;
/** Busy share of GPUs that a model holds, percent. */
export const GPU_IDLE_PERCENT = 30;
/** Degrees Celsius from which on GPUs throttle. */
export const GPU_TEMPERATURE_LIMIT = 85;
/** Failures of links between GPUs in an hour: one may fail once at any time. */
export const LINK_RECOVERIES_LIMIT = 2;
/** Tasks that wait for a CPU of a node. */
export const CPU_QUEUE_LIMIT = 100;
/** Free share of the model store, of other volumes, and of the nodes' disks. */
export const STORE_FREE_LIMIT = 0.1;
export const VOLUME_FREE_LIMIT = 0.1;
export const DISK_FREE_LIMIT = 0.15;
/** Days until a certificate of the gateway ends. */
export const CERTIFICATE_DAYS_LIMIT = 14;
/** Share of an hour's, and of six hours' requests that break an objective, in what spends its budget evenly over 30 days. */
export const BURN_RATES = { hour: 14.4, sixHours: 6 } as const;
