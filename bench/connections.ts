/** Connections that are open at once, for everybody who can be told, and reads at a time where it isn't one. */
export const CONNECTIONS = 16;
