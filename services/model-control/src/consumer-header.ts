/**
 * Caller's name. The gateway sets it after authentication and removes a client's value; this API
 * sends it to engines.
 */
export const CONSUMER_HEADER = "x-consumer-id";
