import { CodedError, type Failure } from '../../../../shared/base/errors.ts'

/** Converts a Failure received from a thread back to an error. */
export function failureError({ code, message, hint, detail }: Failure): CodedError {
  return new CodedError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { cause: new Error(detail) }),
  })
}
