/** Limits of alerts, drawn by dashboards. */

export const KV_CACHE_LIMIT = 0.9;
/** 5xx share of the gateway's answers. */
export const GATEWAY_ERROR_LIMIT = 0.05;
export const ROUND_TRIP_LIMIT_MS = 5;
/** Busy share of GPUs that a model holds, percent. */
export const GPU_IDLE_PERCENT = 30;
/** Where GPUs throttle. */
export const GPU_TEMPERATURE_LIMIT = 85;
/** Per hour: a link may fail once at any time. */
export const LINK_RECOVERIES_LIMIT = 2;
export const CPU_QUEUE_LIMIT = 100;
/** Free share of the model store, volumes and disks. */
export const STORE_FREE_LIMIT = 0.1;
export const VOLUME_FREE_LIMIT = 0.1;
export const DISK_FREE_LIMIT = 0.15;
export const CERTIFICATE_DAYS_LIMIT = 14;
/** Speed of use of a 30-day budget, over an hour and six. */
export const BURN_RATES = { hour: 14.4, sixHours: 6 } as const;
