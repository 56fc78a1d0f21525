"use client";
// SPDX-License-Identifier: MIT
// A form that is checked in the browser as on the server.
import { useState } from "react";
import { orders } from "../orders.js";

export default function Search() {
  const [errors, setErrors] = useState({});
  const check = async (event) => {
    const form = new FormData(event.currentTarget);
    setErrors((await orders).fieldErrors(form));
  };
  return (
    <form onInput={check}>
      <input name="status" aria-invalid={"status" in errors} />
      <input name="total[gte]" aria-invalid={"total" in errors} />
      <output>{Object.values(errors).flat()[0]?.message}</output>
    </form>
  );
}
