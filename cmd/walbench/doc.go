// Walbench measures what a durable commit costs on this machine's disk, and
// how far group commit goes past one commit for each flush.
//
//	walbench                  the main job: environment, tax, group commit, verdict
//	walbench tax              what one durable append costs, by each way to sync
//	walbench group            commits per second by policy and number of writers
//	walbench log append DIR   append the lines of standard input to a log
//	walbench log dump DIR     print its records
//	walbench log verify DIR   check it
//	walbench log repair DIR   end it before damage, and move aside what is behind
//	walbench log trim DIR LSN remove what lies below
//
// walbench --help is the manual; its examples are run by the tests.
//
// A command line goes one way: arrange puts it in order, flags fill one
// config, finish checks that as a whole, a session asks the rooms to measure,
// and package report says what came of it. main maps the error to an exit
// code. Results go to standard output; warnings, progress and errors to
// standard error.
package main
