/** Header that names the caller: the gateway writes it once it knows who that is, and removes a client's own; engines are told the same by this API. */
export const CONSUMER_HEADER = "x-consumer-id";
