// Reads what a model passes to a tool. Schemas do not bind every model, so each value is checked again.

import { codedError } from "../../lib/errors.js";

/** A value that cannot be used. @param {string} message */
export const wrongParameter = (message) => codedError("MEM_ARGUMENT", message);

/**
 * @param {unknown} params
 * @returns {Record<string, unknown>}
 */
export function paramRecord(params) {
  return typeof params === "object" && params !== null && !Array.isArray(params) ? /** @type {Record<string, unknown>} */ (params) : {};
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
export function requiredText(params, name) {
  const value = params[name];
  if (typeof value === "string" && value.trim()) return value.trim();
  throw wrongParameter(`${name} required`);
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
export function optionalNumber(params, name) {
  const value = typeof params[name] === "string" && params[name].trim() ? Number(params[name]) : params[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw wrongParameter(`${name} must be a number`);
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
export function optionalCount(params, name) {
  const value = optionalNumber(params, name);
  if (value === undefined) return undefined;
  if (value >= 1) return Math.floor(value);
  throw wrongParameter(`${name} must be 1 or more`);
}

/**
 * How many results are known. Half of one, or fewer than none, is no place to go on from.
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
export function optionalPlace(params, name) {
  const value = optionalNumber(params, name);
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
  throw wrongParameter(`${name} must be a whole number of 0 or more`);
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 */
export function optionalShare(params, name) {
  const value = optionalNumber(params, name);
  if (value === undefined || (value >= 0 && value <= 1)) return value;
  throw wrongParameter(`${name} must be a number from 0 to 1`);
}

/**
 * An unknown choice is an error and not a wider search: it could show what was not asked for.
 * @template {string} T
 * @param {Record<string, unknown>} params
 * @param {string} name
 * @param {readonly T[]} choices
 * @returns {T | undefined}
 */
export function optionalChoice(params, name, choices) {
  const value = params[name];
  if (value === undefined || value === null || value === "") return undefined;
  const choice = choices.find((candidate) => candidate === value);
  if (choice) return choice;
  throw wrongParameter(`${name} must be one of: ${choices.join(", ")}`);
}
