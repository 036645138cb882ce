/** A duration in milliseconds, or an instant in milliseconds since 1970. */
export type Millis = number;
