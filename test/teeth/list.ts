/** All teeth, by what they keep safe. */
import { ACCESS_TEETH } from './rooms/access.ts';
import { BYTE_TEETH } from './rooms/bytes.ts';
import { DESTINATION_TEETH } from './rooms/destinations.ts';
import { ENGINE_TEETH } from './rooms/engine.ts';
import { EVENT_TEETH } from './rooms/events.ts';
import { LIVE_TEETH } from './rooms/live.ts';
import { LOGIN_TEETH } from './rooms/login.ts';
import { NETWORK_TEETH } from './rooms/network.ts';
import { RETENTION_TEETH } from './rooms/retention.ts';
import { SECRET_TEETH } from './rooms/secrets.ts';
import type { Tooth } from './tooth.ts';

export const TEETH: readonly Tooth[] = [
  ...ACCESS_TEETH,
  ...BYTE_TEETH,
  ...DESTINATION_TEETH,
  ...ENGINE_TEETH,
  ...EVENT_TEETH,
  ...LIVE_TEETH,
  ...LOGIN_TEETH,
  ...NETWORK_TEETH,
  ...RETENTION_TEETH,
  ...SECRET_TEETH,
];
